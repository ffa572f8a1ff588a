// What is shown stands in the address behind the #, so that the back button and a reload keep it. That part is never sent to a server: ids of
// people do not come into its logs.

export const views = ['users', 'conversations', 'reports', 'webhooks', 'events', 'tasks'] as const
export type View = (typeof views)[number]

/** `id` is whose page of the view it is. `at` is the place in a list. */
export type Route = { view: View; id?: string; at?: Readonly<Record<string, string>> }

export function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [first = '', ...rest] = path.split('/')
  const view = views.find((each) => each === first)
  if (!view) return { view: 'users' }
  const id = decoded(rest.join('/'))
  const at = Object.fromEntries(new URLSearchParams(search))
  return { view, ...(id && { id }), ...(search && { at }) }
}

export function hrefOf({ view, id, at }: Route): string {
  const path = id === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`
  return at && Object.keys(at).length > 0 ? `${path}?${new URLSearchParams(at)}` : path
}

/** Somebody may have typed what cannot be decoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
