import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import { sameForAll } from '../engine/graphql/sharing.ts'
import type { Context } from '../resolvers/context.ts'
import { findNodes, kindOfNode } from '../resolvers/nodes.ts'
import type { Scalars } from '../resolvers/scalars.ts'

/** Ids are shown as they are stored, so encoding is the identity and the kind of a node is told by its prefix. */
export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
  Scalars: Scalars
}>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    cursorType: 'String',
    edgeCursorType: 'String',
    pageInfoCursorType: 'String',
    encodeGlobalID: (_typename, id) => String(id),
    decodeGlobalID: (id) => ({ typename: kindOfNode(id), id }),
    nodesQueryOptions: {
      description:
        'Several of these at once, in the order of the ids: null in the place of each that the viewer may not see, or that ' +
        'does not exist.',
      args: { ids: { description: 'Up to 100 ids.' } },
      resolve: (_root, { ids }, ctx, _info, load) => findNodes(ctx, ids, () => load(ids)),
    },
    nodeQueryOptions: {
      nullable: true,
      description: 'Anything by its id. Null for what the viewer may not see, exactly as for what does not exist.',
      args: { id: { description: 'The id of a user, a conversation, a message, a member or their ticks.' } },
    },
    nodeTypeOptions: { description: 'Anything that has an id.' },
    idFieldOptions: { description: 'The id, valid in `node`.' },
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    hasNextPageFieldOptions: {
      nullable: false,
      description: 'Whether the list goes on after this page.',
      ...sameForAll,
    },
    hasPreviousPageFieldOptions: {
      nullable: false,
      description: 'Whether the list has something before this page.',
      ...sameForAll,
    },
    startCursorFieldOptions: {
      nullable: true,
      description: 'The cursor of the first edge; null on an empty page.',
      ...sameForAll,
    },
    endCursorFieldOptions: {
      nullable: true,
      description: 'The cursor of the last edge; null on an empty page.',
      ...sameForAll,
    },
    pageInfoFieldOptions: { nullable: false, description: 'Where this page lies in its list.', ...sameForAll },
    edgesFieldOptions: { nullable: { list: false, items: false }, description: 'The page.', ...sameForAll },
    nodeFieldOptions: { nullable: false, description: 'What stands at this place of the list.', ...sameForAll },
    cursorFieldOptions: { description: 'This place of the list: opaque, never expires.', ...sameForAll },
    firstArgOptions: { description: 'So many from the start of the list, 1 to 100. Neither first nor last: 50.' },
    lastArgOptions: { description: 'So many from the end of the list, 1 to 100. Not together with first.' },
    afterArgOptions: { description: 'Only what comes after this cursor in the list.' },
    beforeArgOptions: { description: 'Only what comes before this cursor in the list.' },
  },
})

builder.queryType({ description: 'What can be asked.' })
builder.mutationType({
  description: 'What can be done. Every failed call that says `retryable` may be repeated as it is.',
})
builder.subscriptionType({ description: 'What can be watched, over WebSocket (graphql-transport-ws) or SSE.' })
