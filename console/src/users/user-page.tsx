import { useEffect } from 'react'
import { Avatar } from '../../../demo/src/parts/avatar.tsx'
import { ConversationsOf } from '../conversations/conversations-of.tsx'
import { type UserFieldsFragment, useUserQuery } from '../generated/urql.ts'
import { Badge, Facts, Id, Json, Moment } from '../parts/facts.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/trouble.tsx'
import { remember } from '../session/tab-storage.ts'
import { UserActions } from './user-actions.tsx'
import styles from './users.module.css'

export function UserPage({ id }: { id: string }) {
  const [found, ask] = useUserQuery({ variables: { id } })
  const refresh = () => ask({ requestPolicy: 'network-only' })
  const user = found.data?.user
  const known = user !== undefined && user !== null
  useEffect(() => {
    if (known) remember('users', id)
  }, [known, id])
  return (
    <Page title={user?.name ?? id} back="users" onRefresh={refresh} actions={user && <UserActions user={user} />}>
      <Loaded of={found} onRetry={refresh}>
        {() =>
          user ? (
            <>
              <Profile user={user} />
              <Section title="Conversations">
                <ConversationsOf userId={id} />
              </Section>
            </>
          ) : (
            <Empty>
              There is nobody with the id <Id>{id}</Id>: they have no profile and were never here.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

function Profile({ user }: { user: UserFieldsFragment }) {
  const { id, name, avatarUrl, metadata, lastSeenAt, erasedAt } = user
  return (
    <div className={styles.profile}>
      <Avatar id={id} name={name ?? id} size={56} />
      <Facts
        of={{
          Id: <Id>{id}</Id>,
          Name: erasedAt ? undefined : (name ?? 'None'),
          State: <State user={user} />,
          'Last seen': erasedAt ? undefined : lastSeenAt ? <Moment at={lastSeenAt} /> : 'Here now, or never here',
          Erased: erasedAt ? <Moment at={erasedAt} /> : undefined,
          // The picture itself is on somebody else's server, which is not to learn who looks.
          Picture: avatarUrl ? <Id>{avatarUrl}</Id> : undefined,
          Metadata: metadata ? <Json value={metadata} /> : undefined,
        }}
      />
    </div>
  )
}

function State({ user: { banned, bannedUntil, erasedAt } }: { user: UserFieldsFragment }) {
  if (erasedAt) return <Badge>Erased</Badge>
  if (!banned) return 'Not banned'
  if (!bannedUntil) return <Badge tone="alarm">Banned for good</Badge>
  return (
    <Badge tone="alarm">
      Banned until <Moment at={bannedUntil} />
    </Badge>
  )
}
