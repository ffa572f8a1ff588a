import { membershipOf } from '../../groups/roles.ts'
import type { Subject } from '../use-subject.ts'

/** The first entry of a group creates it. Members with a later joinedSeq were added. */
const foundingSeq = 1

/** Returns the text above the first visible message. */
export function beginningWords({ title, conversation }: Subject, viewer: string): string {
  if (conversation?.kind !== 'GROUP') return `This is where your chat with ${title} begins.`
  const joinedSeq = membershipOf(conversation, viewer)?.joinedSeq ?? foundingSeq
  if (joinedSeq > foundingSeq) return 'You were added here. What was said before is not shown.'
  return `This is where “${title}” begins.`
}
