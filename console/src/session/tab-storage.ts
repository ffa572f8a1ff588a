// What this tab remembers: sessionStorage ends with it, and other tabs do not see it. Nothing of the console is kept anywhere else.

const tokenKey = 'parley-console:token'
const listKey = (name: string) => `parley-console:${name}`
const listMax = 20

export type ListName = 'users' | 'conversations' | 'tasks'

export const keptToken = (): string | null => sessionStorage.getItem(tokenKey)
export const keepToken = (text: string): void => sessionStorage.setItem(tokenKey, text)
export const dropToken = (): void => sessionStorage.removeItem(tokenKey)
export const forgetEverything = (): void => sessionStorage.clear()

/** `about` says what stands behind an id that says nothing by itself. */
export type Listed = { id: string; about?: string | undefined }

export function listed(name: ListName): readonly Listed[] {
  return JSON.parse(sessionStorage.getItem(listKey(name)) ?? '[]') as Listed[]
}

/** Puts an id in front of the list. What is known about it from before is kept. */
export function remember(name: ListName, id: string, about?: string): void {
  const before = listed(name)
  const known = before.find((each) => each.id === id)?.about
  const others = before.filter((each) => each.id !== id)
  sessionStorage.setItem(listKey(name), JSON.stringify([{ id, about: about ?? known }, ...others].slice(0, listMax)))
}
