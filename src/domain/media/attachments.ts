import type { Attachment, Claim, Message } from '../../ports/log.ts'
import type { Upload } from '../../ports/media.ts'
import type { Ports } from '../../ports/ports.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { AttachmentId, ClientMessageId, ConversationId, UserId } from '../../protocol/ids.ts'
import { conflict } from '../log/append.ts'
import type { Payload } from '../log/payloads.ts'

// Giving uploads to a send, before it takes its place in the log: each to one send only, by a condition on its row. A retry
// finds them its own already.
//
// What a crash leaves: uploads that belong to a send without a message. The retry goes on with them; if none comes, the
// sweep takes them like those that were never sent.

/** `payload`: the whole send, so that a retry is known as one. */
export type AttachRequest = {
  userId: UserId
  conversationId: ConversationId
  clientMessageId: ClientMessageId
  payload: Payload
  ids: readonly AttachmentId[]
}

type Needs = Pick<Ports, 'uploads' | 'media' | 'claims' | 'messages' | 'clock'> & {
  onMediaError: (error: unknown) => void
}

export function createAttachments({ uploads, media, claims, messages, clock, onMediaError }: Needs) {
  async function attach(request: AttachRequest): Promise<readonly Attachment[]> {
    if (!media) throw new ChatError('FORBIDDEN', 'Attachments are not set up on this server.')
    const stored = await storedBefore(request)
    // Its uploads may have been swept since. The log has the message, and nothing is written again.
    if (stored) return stored.attachments ?? []
    const { ids, clientMessageId } = request
    const found = new Map((await uploads.getMany(ids)).map((upload) => [upload.id, upload]))
    const files = ids.map((id) => assertOwn(found.get(id), request))
    await Promise.all(
      files.map(async (file) => {
        // What is this send's already was looked at when it became so.
        if (file.attachedTo === undefined && !(await media.isUploaded(file))) throw notUploaded(file)
        if (!(await uploads.attach(file.id, clientMessageId))) throw taken(file)
      }),
    )
    return files.map(({ id, key, contentType, byteSize, name }) => ({
      id,
      key,
      contentType,
      byteSize,
      ...(name !== undefined && { name }),
    }))
  }

  /** The message, if an earlier attempt got that far. */
  async function storedBefore(request: AttachRequest): Promise<Message | undefined> {
    const claim = await claims.get(request.userId, request.clientMessageId)
    if (!claim) return undefined
    const same = claim.conversationId === request.conversationId && (await request.payload.isOf(claim))
    if (!same) throw conflict()
    return messageAt(claim)
  }

  async function messageAt(claim: Claim): Promise<Message | undefined> {
    const row = await messages.get(claim)
    const isIts =
      row?.kind === 'message' && row.senderId === claim.senderId && row.clientMessageId === claim.clientMessageId
    return isIts ? row : undefined
  }

  /** Whether a message shows it. */
  async function isShown({ id, ownerId, attachedTo }: Upload): Promise<boolean> {
    const claim = attachedTo && (await claims.get(ownerId, attachedTo))
    const message = claim && (await messageAt(claim))
    return message?.attachments?.some((each) => each.id === id) === true
  }

  function assertOwn(upload: Upload | undefined, { userId, clientMessageId }: AttachRequest): Upload {
    if (!upload || upload.ownerId !== userId || upload.expiresAtMs <= clock.now()) throw unknown()
    if ((upload.attachedTo ?? clientMessageId) !== clientMessageId) throw taken(upload)
    return upload
  }

  /** As well as it goes: nobody is shown them any more, whether their bytes are gone or not. */
  async function discard(attachments: readonly Attachment[] = []): Promise<void> {
    await Promise.all(attachments.map(async ({ key }) => media?.remove(key).catch(onMediaError)))
  }

  return { attach, discard, isShown }
}

/** The same words whether it is somebody else's, has expired, or never was. */
const unknown = () => badInput('attachmentIds', 'attachmentIds must be uploads of your own, each at most 24 hours old.')

const taken = ({ id }: Attachment) => badInput('attachmentIds', `${id} belongs to another message already.`)

const notUploaded = ({ id }: Attachment) =>
  badInput('attachmentIds', `${id} is not uploaded yet: PUT its bytes to its uploadUrl first.`)
