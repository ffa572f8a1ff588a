import { attachmentMaxBytes, attachmentsMax } from '../../../src/protocol/limits.ts'

const mebibyte = 1024 * 1024

/** Why this cannot be attached beside so many others, or undefined if it can. What else is wrong with it, the server says. */
export function fileProblem({ name, size }: Pick<File, 'name' | 'size'>, others: number): string | undefined {
  if (size === 0) return `${name} is empty.`
  if (size > attachmentMaxBytes) return `${name} is larger than ${attachmentMaxBytes / mebibyte} MB.`
  if (others >= attachmentsMax) return `A message takes at most ${attachmentsMax} files.`
  return undefined
}
