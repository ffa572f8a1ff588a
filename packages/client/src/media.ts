import type { Chat } from './chat.ts'
import {
  type AttachmentFieldsFragment,
  AttachmentsDocument,
  CreateUploadDocument,
  type CreateUploadMutation,
} from './generated/graphql.ts'
import { ClientError, networkError } from './shared/client-error.ts'
import { createValue, type Observable } from './shared/observable.ts'

// Applications import this as `@parley/client/media`. It uploads files before the message that carries them is sent.

export type Attachment = AttachmentFieldsFragment
/** A File or Blob of a browser, or plain bytes. */
export type UploadFile = Blob | { bytes: BufferSource; type: string; name?: string }

/** `error` says why the upload was refused for good, or that it was cancelled. */
export type UploadState = {
  state: 'uploading' | 'done' | 'failed' | 'cancelled'
  sentBytes: number
  byteSize: number
  error?: ClientError
}

export type Upload = {
  readonly progress: Observable<UploadState>
  /** Its id goes into `chat.send(to, body, { attachmentIds: [id] })`. Rejects with a ClientError. */
  readonly attachment: Promise<Attachment>
  cancel(): void
}

type UploadTarget = CreateUploadMutation['createUpload']

/** If no byte is sent for this long, the connection counts as dead. */
const stalledMs = 30_000

/** Starts at once and retries until the file is stored, refused for good, or cancelled. An upload does not outlive the app. */
export function upload(chat: Chat, file: UploadFile): Upload {
  const body = file instanceof Blob ? file : new Blob([file.bytes], { type: file.type })
  const { name } = file as { name?: string }
  const input = { contentType: body.type || 'application/octet-stream', byteSize: body.size, ...(name && { name }) }
  const progress = createValue<UploadState>({ state: 'uploading', sentBytes: 0, byteSize: body.size })
  const stopping = new AbortController()
  const show = (change: Partial<UploadState>) => progress.set({ ...progress.get(), ...change })

  async function run(): Promise<Attachment> {
    for (let refusals = 0; ; refusals += 1) {
      const { createUpload: target } = await retry(() => chat.ask(CreateUploadDocument, { input }))
      const status = await retry(() => put(target, body, stopping.signal, (sentBytes) => show({ sentBytes })))
      if (status < 300) return target.attachment
      // The upload URL may have expired while there was no network. It is requested again, once.
      if (refusals > 0) {
        throw new ClientError(`The file was refused with status ${status}.`, { code: 'FORBIDDEN', retryable: false })
      }
    }
  }

  const retry = <T>(attempt: () => Promise<T>): Promise<T> =>
    chat.insist(async () => {
      if (stopping.signal.aborted) throw cancelled()
      return attempt()
    })

  const attachment = Promise.race([
    run(),
    new Promise<never>((_, reject) => stopping.signal.addEventListener('abort', () => reject(cancelled()))),
  ])
  attachment.then(
    () => show({ state: 'done', sentBytes: body.size }),
    (error) => show({ state: stopping.signal.aborted ? 'cancelled' : 'failed', error }),
  )
  return { progress, attachment, cancel: () => stopping.abort() }
}

/** Returns the attachments of a message with new URLs. The URLs of attachments expire after a while. */
export async function refreshAttachments(chat: Chat, messageId: string): Promise<readonly Attachment[]> {
  const { node } = await chat.ask(AttachmentsDocument, { messageId })
  return node && 'attachments' in node ? node.attachments : []
}

const cancelled = (): ClientError => new ClientError('Cancelled.', { code: 'NETWORK', retryable: false })

type Put = (target: UploadTarget, body: Blob, signal: AbortSignal, onSent: (bytes: number) => void) => Promise<number>

/** Returns the status if it says something about the file. A status that may pass is thrown as an error. */
const put: Put = async (target, body, signal, onSent) => {
  onSent(0)
  const status = await (typeof XMLHttpRequest === 'undefined' ? putByFetch : putByXhr)(target, body, signal, onSent)
  if (status >= 500 || status === 408 || status === 429) throw networkError(`The store answered with status ${status}.`)
  return status
}

/** Leaves out the headers that browsers set themselves and forbid to set. */
const headersOf = ({ headers }: UploadTarget): [string, string][] =>
  headers.filter(({ name }) => !/^(content-length|host)$/i.test(name)).map(({ name, value }) => [name, value])

const putByFetch: Put = async (target, body, signal) => {
  const { status } = await fetch(target.uploadUrl, { method: 'PUT', headers: headersOf(target), body, signal })
  return status
}

/** Uploads by XMLHttpRequest, which reports progress. fetch does not. */
const putByXhr: Put = (target, body, signal, onSent) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const fail = () => {
      clearTimeout(stalled)
      reject(networkError('The file could not be put.'))
    }
    const abort = () => request.abort()
    let stalled = setTimeout(abort, stalledMs)
    request.open('PUT', target.uploadUrl)
    for (const [name, value] of headersOf(target)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => {
      clearTimeout(stalled)
      stalled = setTimeout(abort, stalledMs)
      onSent(loaded)
    }
    request.onload = () => {
      clearTimeout(stalled)
      resolve(request.status)
    }
    request.onerror = fail
    request.onabort = fail
    signal.addEventListener('abort', abort)
    request.send(body)
  })
