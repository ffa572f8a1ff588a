import type { TimelineEntry } from '../../../src/client/index.ts'
import type { Shown } from './attachments.tsx'
import { sentFile } from './sent-files.ts'

/** The files of a message, by the address of this window where it has sent them itself. */
export function filesOf(entry: TimelineEntry): Shown[] {
  if (entry.type === 'message') {
    return entry.message.attachments.map((each) => ({ ...each, url: sentFile(each.id)?.url ?? each.url }))
  }
  // Of those before a reload nothing is known but that they are there.
  return (entry.outgoing.attachmentIds ?? []).map(
    (id) => sentFile(id) ?? { id, contentType: 'application/octet-stream', name: null, byteSize: 0 },
  )
}
