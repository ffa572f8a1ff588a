import { expect } from 'vitest'
import type { Service } from './service.ts'
import { waitUntil } from './wait-until.ts'

export type ShownTask = {
  id: string
  kind: string
  state: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED'
  progress: number
  url: string | null
  error: string | null
  createdAt: string
  finishedAt: string | null
}
type Kind = 'exportConversation' | 'exportUser' | 'eraseUser'

const fields = 'id kind state progress url error createdAt finishedAt'

export async function begin(backend: Service, kind: Kind, id: string): Promise<ShownTask> {
  const [type, input] =
    kind === 'exportConversation' ? ['ConversationIdInput', { conversationId: id }] : ['UserIdInput', { userId: id }]
  const answer = await backend.ask<Record<string, { task: ShownTask }>>(
    `mutation ($input: ${type}!) { ${kind}(input: $input) { task { ${fields} } } }`,
    { input },
  )
  return answer[kind]?.task ?? expect.fail()
}

export const taskOf = async (backend: Service, id: string): Promise<ShownTask | null> =>
  (await backend.ask<{ task: ShownTask | null }>(`query ($id: ID!) { task(id: $id) { ${fields} } }`, { id })).task

/** Resolves when the task has ended; fails where it has failed. */
export async function ended(backend: Service, id: string): Promise<ShownTask> {
  let task: ShownTask | null = null
  await waitUntil(async () => {
    task = await taskOf(backend, id)
    return task?.state === 'DONE' || task?.state === 'FAILED'
  })
  const found = task as ShownTask | null
  expect(found).toMatchObject({ state: 'DONE', progress: 1, error: null })
  return found ?? expect.fail()
}

/** Asks for an export and fetches it. */
export async function exported(backend: Service, kind: Kind, id: string, origin: string): Promise<Line[]> {
  const { url } = await ended(backend, (await begin(backend, kind, id)).id)
  return linesOf(await fetch(new URL(url ?? expect.fail('there is no URL'), origin)))
}

export type Line = { type: string } & Record<string, unknown>

export async function linesOf(answer: Response): Promise<Line[]> {
  expect(answer.status).toBe(200)
  const lines = (await answer.text()).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Line)
}
