import type { GroupChange } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import { type Access, floorSeqOf } from '../conversations/access.ts'
import { isMessage, type Log } from '../log/log.ts'
import { openExport } from './export-file.ts'
import { conversationLine, formatVersion, groupChangeLine, messageLine } from './export-lines.ts'
import type { TaskWork } from './run-task.ts'

/** Rows that are read at once. */
const pageSize = 200

type Needs = Pick<Ports, 'results' | 'clock'> & {
  access: Access
  log: Log
  tookEffect: (change: GroupChange) => Promise<boolean>
  exportPartBytes?: number
}

/** Exports the whole log of a conversation: its messages as they are now, and its group changes. */
export function createExportConversation(needs: Needs): TaskWork {
  const { results, clock, access, log, tookEffect, exportPartBytes } = needs
  return async function exportConversation(job) {
    if (!results) throw new ChatError('FORBIDDEN', 'No store of files is set up on this server any more.')
    const id = job.subject as ConversationId
    const conversation = await access.current(id)
    if (!conversation) throw new ChatError('NOT_FOUND', 'There is no such conversation any more.')
    const name = `${id}.ndjson`
    const file = await openExport(
      results,
      job,
      name,
      { after: floorSeqOf(conversation), to: await log.lastSeq(id) },
      exportPartBytes,
    )
    let { after } = file.at
    const { to } = file.at
    if (job.cursor === undefined) {
      file.write({ type: 'export', kind: 'conversation', format: formatVersion, at: toTimeText(clock.now()) })
      file.write(conversationLine(conversation))
    }
    while (after < to) {
      const rows = (await log.above(id, after, pageSize)).filter(({ seq }) => seq <= to)
      for (const row of rows) {
        if (isMessage(row)) file.write(messageLine(row))
        else if (row.kind === 'group' && (await tookEffect(row))) file.write(groupChangeLine(row))
      }
      after = rows.at(-1)?.seq ?? to
      await file.mark(after / to, { after, to })
    }
    return { result: await file.end() }
  }
}
