import { answerOf, type GroupCall, type GroupMember, type GroupSeen, refusalOf } from '../checks/history.ts'

/** This holds who is in which group, as far as the crowd was last told. It is good enough to choose what to try next, and for nothing else. */
export type GroupHints = ReturnType<typeof createGroupHints>

export function createGroupHints() {
  const groups = new Map<string, GroupSeen>()

  const members = (id: string): readonly GroupMember[] => groups.get(id)?.members ?? []
  const member = (userId: string, id: string): GroupMember | undefined =>
    members(id).find((each) => each.userId === userId)

  function take(userId: string, id: string): void {
    const group = groups.get(id)
    if (group) groups.set(id, { ...group, members: group.members.filter((each) => each.userId !== userId) })
  }

  return {
    ids: (): string[] => [...groups.keys()],
    members,
    member,
    of: (userId: string): string[] => [...groups.keys()].filter((id) => member(userId, id)),
    /** Learns from an answer, and from a refusal. */
    hear<Asked extends Pick<GroupCall, 'userId' | 'ask' | 'outcome'>>(call: Asked): Asked {
      const answer = answerOf(call)
      if (answer && answer !== 'left') groups.set(answer.id, answer)
      if (answer === 'left' || refusalOf(call)?.code === 'NOT_FOUND') take(call.userId, call.ask.conversationId)
      return call
    },
  }
}
