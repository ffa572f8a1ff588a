// What fields cost beyond the values they show, for the limit on what one operation may ask for. What is not named here costs
// 1; a page 50 and 10 for each row it reads; a mutation or subscription 50; each item of a list it is given 5.

import { attachmentsMax, groupMembersMax } from '../protocol/limits.ts'

/** Most chats have two members and a few have many: this is an average that nobody has to be afraid of. */
const members = { items: 12, itemsMax: groupMembersMax }
const oneRead = { weight: 5 }

export const fieldCosts = {
  'Query.node': oneRead,
  'Query.conversation': oneRead,
  'Conversation.members': members,
  'Conversation.memberships': members,
  'Conversation.ticks': members,
  'Conversation.lastMessage': oneRead,
  'Conversation.unreadCount': oneRead,
  // All messages of a page have the same conversation: the members of a large group would come once for each.
  'Message.conversation': { ...oneRead, repeats: true },
  'Message.replyTo': oneRead,
  'Message.tick': { weight: 2 },
  'Message.body': { charsPerCost: 128 },
  'Message.attachments': { items: 2, itemsMax: attachmentsMax },
  'Message.reactions': { items: 4, itemsMax: 20 },
  'User.presence': { weight: 2 },
}
