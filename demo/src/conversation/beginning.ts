import { membershipOf } from '../groups/roles.ts'
import type { Subject } from './use-subject.ts'

/** A group begins with its founding; whoever comes after that was added. */
const foundingSeq = 1

/** What stands above the first message there is to see. */
export function beginningWords({ title, conversation }: Subject, viewer: string): string {
  if (conversation?.kind !== 'GROUP') return `This is where your chat with ${title} begins.`
  const joinedSeq = membershipOf(conversation, viewer)?.joinedSeq ?? foundingSeq
  if (joinedSeq > foundingSeq) return 'You were added here. What was said before is not shown.'
  return `This is where “${title}” begins.`
}
