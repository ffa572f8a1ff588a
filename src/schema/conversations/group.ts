import type { ConversationId } from '../../protocol/ids.ts'
import {
  createGroup,
  type GroupMember,
  leaveConversation,
  memberNodeIdOf,
  membershipsOf,
  updateMembers,
} from '../../resolvers/conversations/groups.ts'
import { findMember } from '../../resolvers/nodes.ts'
import { builder } from '../builder.ts'
import { User } from '../people/user.ts'
import { Conversation, ConversationPayload } from './conversation.ts'

const Role = builder.enumType('Role', {
  description: 'What somebody may do in a group.',
  values: {
    OWNER: { description: 'Everything: also give roles, and remove admins.' },
    ADMIN: { description: 'Add people, remove members, change the title, delete messages of others.' },
    MEMBER: { description: 'Read, write, leave.' },
  } as const,
})

const Member = builder.objectRef<GroupMember>('Member')

builder.node(Member, {
  description: 'Somebody in a conversation.',
  id: { resolve: memberNodeIdOf, description: 'Opaque, and the same whenever this member is shown.' },
  loadWithoutCache: (id, ctx) => findMember(ctx, id),
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'Who.' }),
    conversation: t.expose('viewer', { type: Conversation, description: 'Where.' }),
    role: t.expose('role', { type: Role, description: 'What they may do. In a direct chat everybody is a MEMBER.' }),
    joinedSeq: t.exposeInt('joinedSeq', {
      description: 'The place in the log where they came. They see what is above it; 0 in a direct chat.',
    }),
  }),
})

builder.objectField(Conversation, 'memberships', (t) =>
  t.field({
    type: [Member],
    description: 'Who is in it, with their roles, in the order they came.',
    resolve: membershipsOf,
  }),
)

const CreateGroupInput = builder.inputType('CreateGroupInput', {
  description: 'A group to make.',
  fields: (t) => ({
    clientGroupId: t.id({
      required: true,
      description:
        'Made on the device before the first attempt; every retry, at whatever age, carries the same one and gets the same group.',
    }),
    title: t.string({ required: true, description: '1 to 100 characters in one line, at least one of them visible.' }),
    memberIds: t.idList({
      required: true,
      description: 'Who else is in it; with the caller, who becomes its owner, up to 1,024.',
    }),
  }),
})

builder.mutationField('createGroup', (t) =>
  t.field({
    type: ConversationPayload,
    description: 'Makes a group. The caller is its owner.',
    args: { input: t.arg({ type: CreateGroupInput, required: true, description: 'The group.' }) },
    resolve: (_root, { input }, ctx) => createGroup(ctx, input),
  }),
)

const MemberRoleInput = builder.inputType('MemberRoleInput', {
  description: 'A role for somebody.',
  fields: (t) => ({
    userId: t.id({ required: true, description: 'Who.' }),
    role: t.field({ type: Role, required: true, description: 'Their new role.' }),
  }),
})

const UpdateMembersInput = builder.inputType('UpdateMembersInput', {
  description: 'Who shall be in a group. What is so already is left as it is, so a retry does no harm.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The group.' }),
    add: t.idList({
      description: 'People to add, as members. They see what is written from then on. For owners and admins.',
    }),
    remove: t.idList({
      description: 'People to remove. Admins may remove members only. To leave, see leaveConversation.',
    }),
    roles: t.field({ type: [MemberRoleInput], description: 'Roles to give, also to those added. For owners.' }),
  }),
})

builder.mutationField('updateMembers', (t) =>
  t.field({
    type: ConversationPayload,
    description: 'Adds and removes people, and gives roles. Takes a seq in the group’s log.',
    args: { input: t.arg({ type: UpdateMembersInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, ctx) => updateMembers(ctx, input),
  }),
)

const LeaveConversationInput = builder.inputType('LeaveConversationInput', {
  description: 'A group to leave.',
  fields: (t) => ({ conversationId: t.id({ required: true, description: 'The group.' }) }),
})

const LeaveConversationPayload = builder
  .objectRef<{ conversationId: ConversationId }>('LeaveConversationPayload')
  .implement({
    description: 'The answer to leaveConversation.',
    fields: (t) => ({ conversationId: t.exposeID('conversationId', { description: 'The group that was left.' }) }),
  })

builder.mutationField('leaveConversation', (t) =>
  t.field({
    type: LeaveConversationPayload,
    description:
      'Leaves a group: from here on it is as if it did not exist. If its last owner leaves, the admin or else the member who has ' +
      'been there longest becomes its owner.',
    args: { input: t.arg({ type: LeaveConversationInput, required: true, description: 'What to leave.' }) },
    resolve: (_root, { input }, ctx) => leaveConversation(ctx, input),
  }),
)
