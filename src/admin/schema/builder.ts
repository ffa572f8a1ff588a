import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import { dateTime, json, type Scalars } from '../../resolvers/scalars.ts'
import type { AdminContext } from '../resolvers/context.ts'

/** The schema of the admin API has nothing in common with the public one but its scalars. No object of it is a node. */
export const builder = new SchemaBuilder<{
  Context: AdminContext
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
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    hasNextPageFieldOptions: { nullable: false, description: 'Whether the list goes on after this page.' },
    hasPreviousPageFieldOptions: { nullable: false, description: 'Whether the list has something before this page.' },
    startCursorFieldOptions: { nullable: true, description: 'The cursor of the first edge; null on an empty page.' },
    endCursorFieldOptions: { nullable: true, description: 'The cursor of the last edge; null on an empty page.' },
    pageInfoFieldOptions: { nullable: false, description: 'Where this page lies in its list.' },
    edgesFieldOptions: { nullable: { list: false, items: false }, description: 'The page.' },
    nodeFieldOptions: { nullable: false, description: 'What stands at this place of the list.' },
    cursorFieldOptions: { description: 'This place of the list: opaque, never expires.' },
  },
})

builder.scalarType('DateTime', dateTime)
builder.scalarType('JSON', json)

builder.queryType({ description: 'What a backend can ask.' })
builder.mutationType({
  description: 'What a backend can do. Every failed call that says `retryable` may be repeated as it is.',
})
builder.subscriptionType({ description: 'What a backend can watch, over WebSocket (graphql-transport-ws).' })

/** The arguments of a page that only goes on. */
export const first = 'So many from the start of the list, 1 to 100. Not given: 50.'
export const after = 'Only what comes after this cursor in the list.'
