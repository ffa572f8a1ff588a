/* eslint-disable */
import * as types from './graphql.ts';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "fragment ConversationFields on Conversation {\n  id\n  kind\n  title\n  members {\n    id\n    name\n  }\n  lastSeq\n  unreadCount\n  lastMessage {\n    ...MessageFields\n  }\n  ticks {\n    ...TicksFields\n  }\n}\n\nquery Viewer {\n  viewer {\n    id\n    name\n  }\n}\n\nquery Conversation($id: ID!) {\n  conversation(id: $id) {\n    ...ConversationFields\n  }\n}\n\nquery Conversations($first: Int, $after: String, $last: Int, $before: String) {\n  conversations(first: $first, after: $after, last: $last, before: $before) {\n    edges {\n      cursor\n      node {\n        ...ConversationFields\n      }\n    }\n    pageInfo {\n      hasNextPage\n      hasPreviousPage\n      startCursor\n      endCursor\n    }\n  }\n}": typeof types.ConversationFieldsFragmentDoc,
    "fragment MessageFields on Message {\n  id\n  conversationId\n  seq\n  messageId\n  clientMessageId\n  sender {\n    id\n    name\n  }\n  body\n  sentAt\n}\n\nmutation SendMessage($input: SendMessageInput!) {\n  sendMessage(input: $input) {\n    duplicate\n    message {\n      ...MessageFields\n    }\n  }\n}\n\nquery Messages($conversationId: ID!, $first: Int, $after: String, $last: Int, $before: String) {\n  messages(\n    conversationId: $conversationId\n    first: $first\n    after: $after\n    last: $last\n    before: $before\n  ) {\n    edges {\n      cursor\n      node {\n        ...MessageFields\n      }\n    }\n    pageInfo {\n      hasNextPage\n      hasPreviousPage\n      startCursor\n      endCursor\n    }\n  }\n}\n\nsubscription MessageAdded($conversationId: ID, $after: [PositionInput!]) {\n  messageAdded(conversationId: $conversationId, after: $after) {\n    message {\n      ...MessageFields\n    }\n    cursor\n    previousSeq\n    catchUp\n  }\n}": typeof types.MessageFieldsFragmentDoc,
    "fragment TicksFields on Ticks {\n  conversationId\n  userId\n  lastDeliveredSeq\n  lastReadSeq\n}\n\nmutation Ack($input: AckInput!) {\n  ack(input: $input) {\n    ticks {\n      ...TicksFields\n    }\n  }\n}\n\nmutation MarkRead($input: MarkReadInput!) {\n  markRead(input: $input) {\n    ticks {\n      ...TicksFields\n    }\n  }\n}\n\nsubscription TicksChanged($conversationId: ID) {\n  ticksChanged(conversationId: $conversationId) {\n    ...TicksFields\n  }\n}": typeof types.TicksFieldsFragmentDoc,
};
const documents: Documents = {
    "fragment ConversationFields on Conversation {\n  id\n  kind\n  title\n  members {\n    id\n    name\n  }\n  lastSeq\n  unreadCount\n  lastMessage {\n    ...MessageFields\n  }\n  ticks {\n    ...TicksFields\n  }\n}\n\nquery Viewer {\n  viewer {\n    id\n    name\n  }\n}\n\nquery Conversation($id: ID!) {\n  conversation(id: $id) {\n    ...ConversationFields\n  }\n}\n\nquery Conversations($first: Int, $after: String, $last: Int, $before: String) {\n  conversations(first: $first, after: $after, last: $last, before: $before) {\n    edges {\n      cursor\n      node {\n        ...ConversationFields\n      }\n    }\n    pageInfo {\n      hasNextPage\n      hasPreviousPage\n      startCursor\n      endCursor\n    }\n  }\n}": types.ConversationFieldsFragmentDoc,
    "fragment MessageFields on Message {\n  id\n  conversationId\n  seq\n  messageId\n  clientMessageId\n  sender {\n    id\n    name\n  }\n  body\n  sentAt\n}\n\nmutation SendMessage($input: SendMessageInput!) {\n  sendMessage(input: $input) {\n    duplicate\n    message {\n      ...MessageFields\n    }\n  }\n}\n\nquery Messages($conversationId: ID!, $first: Int, $after: String, $last: Int, $before: String) {\n  messages(\n    conversationId: $conversationId\n    first: $first\n    after: $after\n    last: $last\n    before: $before\n  ) {\n    edges {\n      cursor\n      node {\n        ...MessageFields\n      }\n    }\n    pageInfo {\n      hasNextPage\n      hasPreviousPage\n      startCursor\n      endCursor\n    }\n  }\n}\n\nsubscription MessageAdded($conversationId: ID, $after: [PositionInput!]) {\n  messageAdded(conversationId: $conversationId, after: $after) {\n    message {\n      ...MessageFields\n    }\n    cursor\n    previousSeq\n    catchUp\n  }\n}": types.MessageFieldsFragmentDoc,
    "fragment TicksFields on Ticks {\n  conversationId\n  userId\n  lastDeliveredSeq\n  lastReadSeq\n}\n\nmutation Ack($input: AckInput!) {\n  ack(input: $input) {\n    ticks {\n      ...TicksFields\n    }\n  }\n}\n\nmutation MarkRead($input: MarkReadInput!) {\n  markRead(input: $input) {\n    ticks {\n      ...TicksFields\n    }\n  }\n}\n\nsubscription TicksChanged($conversationId: ID) {\n  ticksChanged(conversationId: $conversationId) {\n    ...TicksFields\n  }\n}": types.TicksFieldsFragmentDoc,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "fragment ConversationFields on Conversation {\n  id\n  kind\n  title\n  members {\n    id\n    name\n  }\n  lastSeq\n  unreadCount\n  lastMessage {\n    ...MessageFields\n  }\n  ticks {\n    ...TicksFields\n  }\n}\n\nquery Viewer {\n  viewer {\n    id\n    name\n  }\n}\n\nquery Conversation($id: ID!) {\n  conversation(id: $id) {\n    ...ConversationFields\n  }\n}\n\nquery Conversations($first: Int, $after: String, $last: Int, $before: String) {\n  conversations(first: $first, after: $after, last: $last, before: $before) {\n    edges {\n      cursor\n      node {\n        ...ConversationFields\n      }\n    }\n    pageInfo {\n      hasNextPage\n      hasPreviousPage\n      startCursor\n      endCursor\n    }\n  }\n}"): typeof import('./graphql.ts').ConversationFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "fragment MessageFields on Message {\n  id\n  conversationId\n  seq\n  messageId\n  clientMessageId\n  sender {\n    id\n    name\n  }\n  body\n  sentAt\n}\n\nmutation SendMessage($input: SendMessageInput!) {\n  sendMessage(input: $input) {\n    duplicate\n    message {\n      ...MessageFields\n    }\n  }\n}\n\nquery Messages($conversationId: ID!, $first: Int, $after: String, $last: Int, $before: String) {\n  messages(\n    conversationId: $conversationId\n    first: $first\n    after: $after\n    last: $last\n    before: $before\n  ) {\n    edges {\n      cursor\n      node {\n        ...MessageFields\n      }\n    }\n    pageInfo {\n      hasNextPage\n      hasPreviousPage\n      startCursor\n      endCursor\n    }\n  }\n}\n\nsubscription MessageAdded($conversationId: ID, $after: [PositionInput!]) {\n  messageAdded(conversationId: $conversationId, after: $after) {\n    message {\n      ...MessageFields\n    }\n    cursor\n    previousSeq\n    catchUp\n  }\n}"): typeof import('./graphql.ts').MessageFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "fragment TicksFields on Ticks {\n  conversationId\n  userId\n  lastDeliveredSeq\n  lastReadSeq\n}\n\nmutation Ack($input: AckInput!) {\n  ack(input: $input) {\n    ticks {\n      ...TicksFields\n    }\n  }\n}\n\nmutation MarkRead($input: MarkReadInput!) {\n  markRead(input: $input) {\n    ticks {\n      ...TicksFields\n    }\n  }\n}\n\nsubscription TicksChanged($conversationId: ID) {\n  ticksChanged(conversationId: $conversationId) {\n    ...TicksFields\n  }\n}"): typeof import('./graphql.ts').TicksFieldsFragmentDoc;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
