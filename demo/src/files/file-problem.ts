import { attachmentMaxBytes, attachmentsMax } from '../../../src/protocol/limits.ts'

const mebibyte = 1024 * 1024

/** Returns why a file cannot be attached beside so many others, or undefined if it can. The server may refuse it for other reasons. */
export function fileProblem({ name, size }: Pick<File, 'name' | 'size'>, others: number): string | undefined {
  if (size === 0) return `${name} is empty.`
  if (size > attachmentMaxBytes) return `${name} is larger than ${attachmentMaxBytes / mebibyte} MB.`
  if (others >= attachmentsMax) return `A message takes at most ${attachmentsMax} files.`
  return undefined
}
