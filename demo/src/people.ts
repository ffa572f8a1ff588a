import { isUserId } from '../../src/protocol/ids.ts'

export type Person = { id: string; name?: string | null }

/** Sample users to sign in as and to write to. */
export const samplePeople: readonly { id: string; name: string; line: string }[] = [
  { id: 'alice', name: 'Alice', line: 'Writes first' },
  { id: 'bob', name: 'Bob', line: 'Always answers' },
  { id: 'carol', name: 'Carol', line: 'Loves long messages' },
  { id: 'dave', name: 'Dave', line: 'Often in a tunnel' },
]

/** The server learns a user's name when they first connect. Until then the sample people have the names above. */
export const nameOf = ({ id, name }: Person): string => name || (sampleName(id) ?? id)

export const sampleName = (id: string): string | undefined => samplePeople.find((sample) => sample.id === id)?.name

/** Returns the name that a user has chosen, or undefined for sample people and for users without one. */
export const ownName = ({ id, name }: Person): string | undefined =>
  name && name !== id && !sampleName(id) ? name : undefined

/** Makes a user id from a name. Returns undefined for an empty name. */
export function userIdFor(name: string): string | undefined {
  const words = name.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()
  const plain = words.replace(/[^a-z0-9._@|:-]+/g, '-').replace(/^-+|-+$/g, '')
  const id = (plain || spelledOut(name.trim())).slice(0, 120)
  if (!id) return undefined
  return isUserId(id) ? id : `u-${id}`
}

/** Spells a name by its code points: names of other scripts have no letter that an id may have. */
const spelledOut = (name: string): string =>
  Array.from(name.slice(0, 20), (letter) => letter.codePointAt(0)?.toString(16)).join('-')

/** Returns the user id for what was typed into "new chat": an id, or the name of a sample person. */
export function personMeant(typed: string): string | undefined {
  const text = typed.trim()
  const sample = samplePeople.find(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (sample) return sample.id
  return isUserId(text) ? text : userIdFor(text)
}
