import { randomUUID } from 'node:crypto'
import type { Person } from './person.ts'

// Creates and changes groups as clients do.

type GroupView = {
  id: string
  kind: string
  title: string
  lastSeq: number
  unreadCount: number
  lastMessage: { body: string; tick: string } | null
  members: { id: string }[]
  memberships: { user: { id: string }; role: string; joinedSeq: number }[]
}

const fields = /* GraphQL */ `
  id kind title lastSeq unreadCount lastMessage { body tick } members { id } memberships { user { id } role joinedSeq }
`

export async function createGroup(
  owner: Person,
  others: readonly Person[],
  { title = 'Tea', clientGroupId = randomUUID() as string, node = owner.url } = {},
): Promise<GroupView> {
  const memberIds = others.map(({ userId }) => userId)
  const { createGroup } = await owner.ask<{ createGroup: { conversation: GroupView } }>(
    `mutation ($input: CreateGroupInput!) { createGroup(input: $input) { conversation { ${fields} } } }`,
    { input: { clientGroupId, title, memberIds } },
    { node },
  )
  return createGroup.conversation
}

export type MembersChange = {
  add?: readonly Person[]
  remove?: readonly Person[]
  roles?: readonly [Person, 'OWNER' | 'ADMIN' | 'MEMBER'][]
}

export async function updateMembers(
  actor: Person,
  conversationId: string,
  { add, remove, roles }: MembersChange,
): Promise<GroupView> {
  const { updateMembers } = await actor.ask<{ updateMembers: { conversation: GroupView } }>(
    `mutation ($input: UpdateMembersInput!) { updateMembers(input: $input) { conversation { ${fields} } } }`,
    {
      input: {
        conversationId,
        add: add?.map(({ userId }) => userId),
        remove: remove?.map(({ userId }) => userId),
        roles: roles?.map(([{ userId }, role]) => ({ userId, role })),
      },
    },
  )
  return updateMembers.conversation
}

export const leave = (person: Person, conversationId: string): Promise<unknown> =>
  person.ask('mutation ($input: LeaveConversationInput!) { leaveConversation(input: $input) { conversationId } }', {
    input: { conversationId },
  })

export async function viewOf(person: Person, id: string, node = person.url): Promise<GroupView | null> {
  const { conversation } = await person.ask<{ conversation: GroupView | null }>(
    `query ($id: ID!) { conversation(id: $id) { ${fields} } }`,
    { id },
    { node },
  )
  return conversation
}

/** Returns lines such as `alice OWNER 1`. */
export const membersOf = ({ memberships }: GroupView): string[] =>
  memberships.map(({ user, role, joinedSeq }) => `${user.id.split('-')[0]} ${role} ${joinedSeq}`)
