// What fields cost beyond the values they show, for the limit on what one operation may ask for. A field that is not named here costs
// 1; a page costs 50 and 10 for each row it reads; a mutation or subscription costs 50; each item of a list argument costs 5.

import { attachmentsMax, groupMembersMax, nodesMax } from '../protocol/limits.ts'

/** Most chats have two members and a few have many. This is an average, and makes no ordinary document too expensive. */
const members = { items: 12, itemsMax: groupMembersMax }
const oneRead = { weight: 5 }
/** For the boundaries of all members, of which only the lowest is shown. */
const lowestOfMembers = { weight: 12 }

export const fieldCosts = {
  'Query.node': oneRead,
  // Charged again by what comes: an operation names up to a hundred, and most that do name a few.
  'Query.nodes': { weight: 5, items: 10, itemsMax: nodesMax },
  'Query.conversation': oneRead,
  'Query.directConversation': oneRead,
  // Goes through the list of chats, as a page does.
  'Query.unreadConversationCount': { weight: 50 },
  'Conversation.members': members,
  'Conversation.memberships': members,
  'Conversation.ticks': members,
  'Conversation.lastActivityAt': { weight: 2 },
  'Conversation.deliveredSeq': lowestOfMembers,
  'Conversation.readSeq': lowestOfMembers,
  'Conversation.lastMessage': oneRead,
  'Conversation.unreadCount': oneRead,
  // All messages of a page have the same conversation: the members of a large group would be shown once for each message.
  'Message.conversation': { ...oneRead, repeats: true },
  'Ticks.conversation': { ...oneRead, repeats: true },
  'Member.conversation': { weight: 1, repeats: true },
  'Message.replyTo': oneRead,
  'Message.tick': { weight: 2 },
  'Message.body': { charsPerCost: 128 },
  // Up to 4 KB, which are parsed and written for each.
  'Message.metadata': { weight: 4 },
  'Message.attachments': { items: 2, itemsMax: attachmentsMax },
  'Message.reactions': { items: 4, itemsMax: 20 },
  // A notice is seldom, and of a few people.
  'GroupNotice.users': { items: 2, itemsMax: groupMembersMax },
  'Reaction.users': { items: 20, itemsMax: 100 },
  'User.blocked': { weight: 2 },
  'User.presence': { weight: 2 },
}
