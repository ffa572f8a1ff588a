import type { Announced } from '../../domain/media/uploads.ts'
import type { Attachment, Message } from '../../ports/log.ts'
import { badInput } from '../../protocol/errors.ts'
import { type AttachmentId, isAttachmentId } from '../../protocol/ids.ts'
import { attachmentMaxBytes, attachmentsMax } from '../../protocol/limits.ts'
import { contentTypeProblem, fileNameProblem } from '../../protocol/media-type.ts'
import { type Context, viewerId } from '../context.ts'

type CreateUploadInput = { contentType: string; byteSize: number; name?: string | null | undefined }

export async function createUpload(
  ctx: Context,
  { contentType, byteSize, name }: CreateUploadInput,
): Promise<Announced> {
  const userId = viewerId(ctx)
  const typeProblem = contentTypeProblem(contentType)
  if (typeProblem) throw badInput('contentType', typeProblem)
  if (byteSize < 1 || byteSize > attachmentMaxBytes) {
    throw badInput('byteSize', `byteSize must be 1 to ${attachmentMaxBytes} bytes.`)
  }
  const nameProblem = name == null ? undefined : fileNameProblem(name)
  if (nameProblem) throw badInput('name', nameProblem)
  return ctx.domain.uploads.announce(userId, { contentType, byteSize, ...(name != null && { name }) })
}

export const uploadUrl = (ctx: Context, { put }: Announced): string => absolute(ctx, put.url)

export const headersOf = ({ put }: Announced): { name: string; value: string }[] =>
  Object.entries(put.headers).map(([name, value]) => ({ name, value }))

export const attachmentsOf = (ctx: Context, message: Message): Attachment[] => [
  ...ctx.domain.uploads.attachmentsOf(message),
]

export const attachmentUrl = async (ctx: Context, attachment: Attachment): Promise<string> =>
  absolute(ctx, await ctx.domain.uploads.urlOf(attachment))

/** Returns undefined for no ids. GraphQL has checked the types of `given`, REST has checked nothing. */
export function attachmentIdsOf(given: unknown): AttachmentId[] | undefined {
  if (given == null) return undefined
  if (!Array.isArray(given) || given.length > attachmentsMax || new Set(given).size !== given.length) {
    throw badInput('attachmentIds', `attachmentIds must be up to ${attachmentsMax} different ids.`)
  }
  if (!given.every(isAttachmentId)) throw badInput('attachmentIds', 'attachmentIds must be ids of uploads.')
  return given.length === 0 ? undefined : given
}

/** The URL of a file that the node keeps itself is relative to the node's address. */
const absolute = ({ origin }: Context, url: string): string => new URL(url, origin).href
