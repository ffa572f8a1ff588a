import { Avatar } from '../../../demo/src/parts/avatar.tsx'
import {
  ConversationsOfDocument,
  type ConversationsOfQuery,
  type ConversationsOfQueryVariables,
  useConversationQuery,
} from '../generated/urql.ts'
import { Paged } from '../parts/paged.tsx'
import { hrefOf } from '../route.ts'
import styles from './conversations.module.css'

type Row = ConversationsOfQuery['conversationsOf']['edges'][number]['node']

export function ConversationsOf({ userId }: { userId: string }) {
  return (
    <Paged<ConversationsOfQuery, Pick<ConversationsOfQueryVariables, 'userId'>, Row>
      query={ConversationsOfDocument}
      variables={{ userId }}
      pageIn={(data) => data.conversationsOf}
      typename="AdminConversation"
      className={styles.list}
      row={(row) => <ConversationRow key={row.id} row={row} userId={userId} />}
      empty="They are in no conversation."
    />
  )
}

function ConversationRow({ row: { id, kind, title, lastSeq }, userId }: { row: Row; userId: string }) {
  const isGroup = kind === 'GROUP'
  const other = useOtherMember(id, userId, isGroup)
  return (
    <li>
      <a className={styles.link} href={hrefOf({ view: 'conversations', id })}>
        <Avatar id={isGroup ? id : (other ?? userId)} name={other ?? userId} size={34} group={isGroup} />
        <span>
          <b dir="auto">
            {isGroup ? title : other === undefined ? id : `With ${other === userId ? 'themselves' : other}`}
          </b>
          <span>
            {isGroup ? 'Group' : 'Direct chat'}, last seq {lastSeq}
          </span>
        </span>
      </a>
    </li>
  )
}

/** A direct chat has no title. Its members are asked for by themselves, because only its two rows are cheap. */
function useOtherMember(id: string, userId: string, isGroup: boolean): string | undefined {
  const [{ data }] = useConversationQuery({ variables: { id }, requestPolicy: 'cache-first', pause: isGroup })
  const members = data?.conversation?.members.map((member) => member.userId)
  return members && (members.find((each) => each !== userId) ?? userId)
}
