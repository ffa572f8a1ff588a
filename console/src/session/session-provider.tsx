import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { Provider } from 'urql'
import { createAdminClient } from './admin-client.ts'
import type { Token } from './token.ts'

type Session = { token: Token; signOut: () => void; onRefused: (why: string) => void }

const SessionContext = createContext<Session | undefined>(undefined)

type Props = { token: Token; onRefused: (why: string) => void; onSignOut: () => void; children: ReactNode }

export function SessionProvider({ token, onRefused, onSignOut, children }: Props) {
  const client = useMemo(() => createAdminClient(token, onRefused), [token, onRefused])
  const session = useMemo(() => ({ token, signOut: onSignOut, onRefused }), [token, onSignOut, onRefused])
  return (
    <SessionContext.Provider value={session}>
      <Provider value={client}>{children}</Provider>
    </SessionContext.Provider>
  )
}

export function useSignedIn(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('There is no <SessionProvider token={…}> around this component.')
  return session
}
