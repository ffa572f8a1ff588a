import type { Attachment, Claim, Message } from '../../ports/log.ts'
import type { Upload } from '../../ports/media.ts'
import type { Ports } from '../../ports/ports.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { AttachmentId, ClientMessageId, ConversationId, UserId } from '../../protocol/ids.ts'
import { conflict } from '../log/append.ts'
import type { Payload } from '../log/payloads.ts'

// Gives uploads to a send before it gets its seq in the log. A condition on the upload's row makes sure that it goes to one send only. A retry
// finds that they belong to it already.
//
// A crash leaves uploads that belong to a send without a message. The retry goes on with them; if none comes, the sweep removes them like
// those that were never sent.

/** `payload` is the whole send, by which a retry is recognized. */
export type AttachRequest = {
  userId: UserId
  conversationId: ConversationId
  clientMessageId: ClientMessageId
  payload: Payload
  ids: readonly AttachmentId[]
}

type Found = { files: readonly Attachment[]; take(): Promise<void> }

type Needs = Pick<Ports, 'uploads' | 'media' | 'claims' | 'messages' | 'clock'> & {
  onMediaError: (error: unknown) => void
}

export type Attachments = ReturnType<typeof createAttachments>

export function createAttachments({ uploads, media, claims, messages, clock, onMediaError }: Needs) {
  /** Returns the files once nothing speaks against them. They belong to the send when they were taken. */
  async function find(request: AttachRequest): Promise<Found> {
    if (!media) throw new ChatError('FORBIDDEN', 'Attachments are not set up on this server.')
    const stored = await storedBefore(request)
    // Its uploads may have been swept since. The message is in the log, and nothing is written again.
    if (stored) return { files: stored.attachments ?? [], take: async () => undefined }
    const { ids, clientMessageId } = request
    const found = new Map((await uploads.getMany(ids)).map((upload) => [upload.id, upload]))
    const own = ids.map((id) => assertOwn(found.get(id), request))
    await Promise.all(
      own.map(async (file) => {
        // An upload that belongs to this send already was checked when it was given to it.
        if (file.attachedTo === undefined && !(await media.isUploaded(file))) throw notUploaded(file)
      }),
    )
    return {
      files: own.map(({ id, key, contentType, byteSize, name }) => ({
        id,
        key,
        contentType,
        byteSize,
        ...(name !== undefined && { name }),
      })),
      async take() {
        await Promise.all(
          own.map(async (file) => {
            if (!(await uploads.attach(file.id, clientMessageId))) throw taken(file)
          }),
        )
      },
    }
  }

  /** Returns the message if an earlier attempt has stored it. */
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

  /** Returns whether a message shows the upload. */
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

  /** Removes the bytes if it can. The attachments are not shown any more even where that fails. */
  async function discard(attachments: readonly Attachment[] = []): Promise<void> {
    await Promise.all(attachments.map(async ({ key }) => media?.remove(key).catch(onMediaError)))
  }

  /** Removes the bytes, and the rows that may not have been swept yet, or fails. */
  async function remove(attachments: readonly Attachment[] = []): Promise<void> {
    await Promise.all(
      attachments.map(async ({ id, key }) => {
        await media?.remove(key)
        await uploads.remove(id)
      }),
    )
  }

  return { find, discard, remove, isShown }
}

/** The message is the same whether the upload belongs to another user, has expired, or never existed. */
const unknown = () => badInput('attachmentIds', 'attachmentIds must be uploads of your own, each at most 24 hours old.')

const taken = ({ id }: Attachment) => badInput('attachmentIds', `${id} belongs to another message already.`)

const notUploaded = ({ id }: Attachment) =>
  badInput('attachmentIds', `${id} is not uploaded yet: PUT its bytes to its uploadUrl first.`)
