import { Activity } from 'react'
import { SessionProvider } from './session/session-provider.tsx'
import { SignIn } from './session/sign-in.tsx'
import { useSession } from './session/use-session.ts'
import { Shell } from './shell/shell.tsx'

/** A session that has ended is hidden and not removed: what somebody was typing is there again after they have signed in. */
export function App() {
  const { token, ended, signIn, signOut, end } = useSession()
  const open = token !== undefined && ended === undefined
  return (
    <>
      {token && (
        <Activity mode={open ? 'visible' : 'hidden'}>
          <SessionProvider token={token} onRefused={end} onSignOut={signOut}>
            <Shell />
          </SessionProvider>
        </Activity>
      )}
      {!open && <SignIn why={ended} onSignIn={signIn} onSignOut={token && signOut} />}
    </>
  )
}
