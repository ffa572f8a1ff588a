import type { AttachmentFieldsFragment, MessageFieldsFragment } from '@parley/client'
import { deletedWords } from '../conversation/message/deleted.ts'

/** The image types that every browser draws. SVG is not among them: the server serves it as a download only. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

export const isPicture = (contentType: string): boolean => pictures.includes(contentType)

export type FileLike = Pick<AttachmentFieldsFragment, 'contentType' | 'name'>

/** Describes a message in one line, also a deleted one or one with files alone. */
export const wordsOf = ({
  body,
  deletedAt,
  attachments,
}: Pick<MessageFieldsFragment, 'body' | 'deletedAt' | 'attachments'>): string =>
  deletedAt ? deletedWords : body || fileWords(attachments)

export function fileWords(files: readonly FileLike[]): string {
  const [first] = files
  if (!first) return ''
  if (files.every(({ contentType }) => isPicture(contentType))) {
    return files.length === 1 ? 'Picture' : `${files.length} pictures`
  }
  return files.length === 1 ? (first.name ?? 'File') : `${files.length} files`
}

const units = ['bytes', 'KB', 'MB', 'GB']

export function sizeWords(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  if (bytes === 1) return '1 byte'
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
