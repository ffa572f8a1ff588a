/** A page as Relay wants it. */
export type Connection<Node> = {
  edges: { cursor: string; node: Node }[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
}

export const connectionOf = <Node>(
  edges: Connection<Node>['edges'],
  more: { hasNextPage: boolean; hasPreviousPage: boolean },
): Connection<Node> => ({
  edges,
  pageInfo: { ...more, startCursor: edges[0]?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null },
})
