import { nameOf, type Person } from '../../people.ts'

/** Says who is typing, without the dots, which are animated. A direct chat needs no name. */
export function typingWords(writing: readonly string[], people: readonly Person[], direct: boolean): string {
  if (writing.length === 0) return ''
  if (direct) return 'typing'
  const names = writing.map((id) => nameOf(people.find((person) => person.id === id) ?? { id }))
  if (names.length === 1) return `${names[0]} is typing`
  if (names.length === 2) return `${names[0]} and ${names[1]} are typing`
  return `${names.length} people are typing`
}
