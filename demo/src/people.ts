import { isUserId } from '../../src/protocol/ids.ts'

export type Person = { id: string; name?: string | null }

/** Somebody to be, and somebody to write to, before anybody else is there. */
export const samplePeople: readonly { id: string; name: string; line: string }[] = [
  { id: 'alice', name: 'Alice', line: 'Writes first' },
  { id: 'bob', name: 'Bob', line: 'Always answers' },
  { id: 'carol', name: 'Carol', line: 'Loves long messages' },
  { id: 'dave', name: 'Dave', line: 'Often in a tunnel' },
]

/** The server learns a name when somebody first connects; until then the sample people are known by theirs. */
export const nameOf = ({ id, name }: Person): string => name || (sampleName(id) ?? id)

export const sampleName = (id: string): string | undefined => samplePeople.find((sample) => sample.id === id)?.name

/** A name only its owner can have told, as far as this page knows. */
export const ownName = ({ id, name }: Person): string | undefined =>
  name && name !== id && !sampleName(id) ? name : undefined

/** An id for a name as people write it; undefined only for no name at all. */
export function userIdFor(name: string): string | undefined {
  const words = name.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()
  const plain = words.replace(/[^a-z0-9._@|:-]+/g, '-').replace(/^-+|-+$/g, '')
  const id = (plain || spelledOut(name.trim())).slice(0, 120)
  if (!id) return undefined
  return isUserId(id) ? id : `u-${id}`
}

/** Names of other scripts have no letter an id may have. */
const spelledOut = (name: string): string =>
  Array.from(name.slice(0, 20), (letter) => letter.codePointAt(0)?.toString(16)).join('-')

/** Whom somebody means who types into "new chat": an id, or the name of somebody known. */
export function personMeant(typed: string): string | undefined {
  const text = typed.trim()
  const sample = samplePeople.find(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (sample) return sample.id
  return isUserId(text) ? text : userIdFor(text)
}
