import type { TimelineEntry } from '@parley/client'
import type { Shown } from './attachments.tsx'
import { sentFile } from './sent-files.ts'

/** Returns the files of a message, with local URLs for those that this window has sent. */
export function filesOf(entry: TimelineEntry): Shown[] {
  if (entry.type === 'message') {
    return entry.message.attachments.map((each) => ({ ...each, url: sentFile(each.id)?.url ?? each.url }))
  }
  // Of files that were attached before a reload, only the ids are known.
  return (entry.outgoing.attachmentIds ?? []).map(
    (id) => sentFile(id) ?? { id, contentType: 'application/octet-stream', name: null, byteSize: 0 },
  )
}
