import { type ReactNode, useState } from 'react'
import { type DocumentInput, useQuery } from 'urql'
import { Empty, Loaded } from './trouble.tsx'

type PageOf<Node> = {
  edges: readonly { node: Node }[]
  pageInfo: { hasNextPage: boolean; endCursor?: string | null | undefined }
}

type Props<Data, Variables, Node> = {
  query: DocumentInput<Data, Variables & { first: number; after: string | undefined }>
  variables: Variables
  pageIn: (data: Data) => PageOf<Node>
  /** The GraphQL type of what is listed, so that a change asks again for an empty list too. */
  typename: string
  className: string | undefined
  row: (node: Node) => ReactNode
  empty: string
  after?: string | undefined
}

const rowsPerPage = 25

/** Shows the rows of a list, and below them those of its next page, once somebody asks for it. */
export function Paged<Data, Variables extends object, Node>(props: Props<Data, Variables, Node>) {
  const { query, variables, pageIn, typename, className, row, empty, after } = props
  const [more, setMore] = useState(false)
  const [context] = useState({ additionalTypenames: [typename] })
  const [page, refresh] = useQuery({ query, variables: { ...variables, first: rowsPerPage, after }, context })
  return (
    <Loaded of={page} onRetry={() => refresh({ requestPolicy: 'network-only' })}>
      {(data) => {
        const { edges, pageInfo } = pageIn(data)
        if (edges.length === 0 && after === undefined) return <Empty>{empty}</Empty>
        return (
          <>
            <ul className={className}>{edges.map(({ node }) => row(node))}</ul>
            {pageInfo.hasNextPage && !more && (
              <button type="button" className="quiet-button" onClick={() => setMore(true)}>
                Show more
              </button>
            )}
            {pageInfo.hasNextPage && more && <Paged {...props} after={pageInfo.endCursor ?? undefined} />}
          </>
        )
      }}
    </Loaded>
  )
}
