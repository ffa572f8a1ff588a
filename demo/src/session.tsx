import { type ReactNode, useEffect, useState } from 'react'
import { type Chat, createChat } from '../../src/client/index.ts'
import { ChatProvider } from '../../src/client/react/hooks.tsx'
import { fetchDevToken } from './dev-token.ts'

type Props = { userId: string; name?: string | undefined; children: ReactNode }

/** One person, connected for as long as they are on the page. */
export function Session({ userId, name, children }: Props) {
  const [chat, setChat] = useState<Chat>()
  useEffect(() => {
    const opened = createChat({ url: '/graphql', userId, token: () => fetchDevToken(userId, name) })
    setChat(opened)
    return () => {
      opened.close().catch(console.error)
    }
  }, [userId, name])
  return chat ? <ChatProvider chat={chat}>{children}</ChatProvider> : null
}
