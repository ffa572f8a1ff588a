import { useEffect, useState } from 'react'
import { type ConversationFieldsFragment, useConversationQuery } from '../generated/urql.ts'
import { Facts, Id, Json } from '../parts/facts.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/trouble.tsx'
import { remember } from '../session/tab-storage.ts'
import { ConversationActions } from './conversation-actions.tsx'
import styles from './conversations.module.css'
import { Members } from './members/members.tsx'
import { Messages } from './messages/messages.tsx'

type Props = { id: string; at: Readonly<Record<string, string>> }

export function ConversationPage({ id, at }: Props) {
  const [found, ask] = useConversationQuery({ variables: { id } })
  const [refreshes, setRefreshes] = useState(0)
  const refresh = () => {
    setRefreshes((count) => count + 1)
    ask({ requestPolicy: 'network-only' })
  }
  const conversation = found.data?.conversation
  const known = conversation !== undefined && conversation !== null
  useEffect(() => {
    if (known) remember('conversations', id)
  }, [known, id])
  return (
    <Page
      title={conversation ? nameOf(conversation) : 'Conversation'}
      back="conversations"
      wide
      onRefresh={refresh}
      actions={conversation && <ConversationActions conversation={conversation} />}
    >
      <Loaded of={found} onRetry={refresh}>
        {() =>
          conversation ? (
            <div className={styles.columns}>
              <Messages conversationId={id} lastSeq={conversation.lastSeq} at={at} refreshes={refreshes} />
              <div className={styles.details}>
                <Section title="Details">
                  <Details conversation={conversation} />
                </Section>
                <Members conversation={conversation} />
              </div>
            </div>
          ) : (
            <Empty>
              There is no conversation with the id <Id>{id}</Id>.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

function Details({
  conversation: { id, kind, lastSeq, retentionDays, metadata },
}: {
  conversation: ConversationFieldsFragment
}) {
  return (
    <Facts
      of={{
        Id: <Id>{id}</Id>,
        Kind: kind === 'GROUP' ? 'Group' : 'Direct chat',
        'Last seq': lastSeq,
        'Messages are kept': retentionDays == null ? 'For ever' : `${retentionDays} days`,
        Metadata: metadata ? <Json value={metadata} /> : undefined,
      }}
    />
  )
}

const nameOf = ({ kind, title, members }: ConversationFieldsFragment): string =>
  kind === 'GROUP' ? (title ?? 'Group') : members.map(({ userId }) => userId).join(' and ')
