// What this tab remembers: sessionStorage ends with it, and other tabs do not see it. Nothing of the console is kept anywhere else.

const tokenKey = 'parley-console:token'
const listKey = (name: string) => `parley-console:${name}`
const listMax = 20

export type ListName = 'users' | 'conversations' | 'tasks'

export const keptToken = (): string | null => sessionStorage.getItem(tokenKey)
export const keepToken = (text: string): void => sessionStorage.setItem(tokenKey, text)
export const dropToken = (): void => sessionStorage.removeItem(tokenKey)
export const forgetEverything = (): void => sessionStorage.clear()

export function listed(name: ListName): string[] {
  const kept = sessionStorage.getItem(listKey(name))
  return kept === null ? [] : kept.split('\n')
}

/** The newest is first. Ids have no line breaks. */
export function remember(name: ListName, id: string): void {
  const others = listed(name).filter((each) => each !== id)
  sessionStorage.setItem(listKey(name), [id, ...others].slice(0, listMax).join('\n'))
}
