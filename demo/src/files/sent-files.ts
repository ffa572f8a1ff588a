import { type FileLike, fileWords } from './file-words.ts'

// The files that this window has sent. They are shown from memory, so that they need no download and show while their message waits.
//
//   files: attachment id -> the file and an address of it in this window

type SentFile = FileLike & { id: string; byteSize: number; url: string }

const keptMax = 50
const files = new Map<string, SentFile>()

export function keepSentFile(file: SentFile): void {
  files.set(file.id, file)
  if (files.size <= keptMax) return
  const [oldest] = files.values()
  if (!oldest) return
  files.delete(oldest.id)
  URL.revokeObjectURL(oldest.url)
}

export const sentFile = (attachmentId: string): SentFile | undefined => files.get(attachmentId)

/** Describes the files of an outgoing message. After a reload only their number is known. */
export function outgoingFileWords(attachmentIds: readonly string[] = []): string {
  const known = attachmentIds.flatMap((id) => sentFile(id) ?? [])
  if (known.length === attachmentIds.length) return fileWords(known)
  return attachmentIds.length === 1 ? 'File' : `${attachmentIds.length} files`
}
