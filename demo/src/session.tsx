import { type Chat, createChat } from '@parley/client'
import { ChatProvider } from '@parley/client/react'
import { type ReactNode, useEffect, useState } from 'react'
import { fetchDevToken } from './dev-token.ts'

type Props = { userId: string; name?: string | undefined; children: ReactNode }

/** Connects one user for as long as they are on the page. */
export function Session({ userId, name, children }: Props) {
  const [chat, setChat] = useState<Chat>()
  useEffect(() => {
    const opened = createChat({ url: '/graphql', userId, notices: true, token: () => fetchDevToken(userId, { name }) })
    setChat(opened)
    return () => {
      opened.close().catch(console.error)
    }
  }, [userId, name])
  return chat ? <ChatProvider chat={chat}>{children}</ChatProvider> : null
}
