import type { Chat } from './chat.ts'
import {
  type AttachmentFieldsFragment,
  AttachmentsDocument,
  CreateUploadDocument,
  type CreateUploadMutation,
} from './generated/graphql.ts'
import { ClientError, networkError } from './shared/client-error.ts'
import { createValue, type Observable } from './shared/observable.ts'

// What an application imports as `parley/client/media`: files on their way up, before the message that carries them.

export type Attachment = AttachmentFieldsFragment
/** What browsers give, or bytes from anywhere. */
export type UploadFile = Blob | { bytes: Uint8Array<ArrayBuffer>; type: string; name?: string }

/** `error`: refused for good, or cancelled. */
export type UploadState = {
  state: 'uploading' | 'done' | 'failed' | 'cancelled'
  sentBytes: number
  byteSize: number
  error?: ClientError
}

export type Upload = {
  readonly progress: Observable<UploadState>
  /** To be named in `chat.send(to, body, { attachmentIds: [id] })`. Rejects with a ClientError. */
  readonly attachment: Promise<Attachment>
  cancel(): void
}

type Place = CreateUploadMutation['createUpload']

/** No byte has gone for this long: the way is taken to be dead. */
const stalledMs = 30_000

/** Begins at once, and is repeated until the file is there, refused for good, or cancelled. It does not outlive the app. */
export function upload(chat: Chat, file: UploadFile): Upload {
  const body = file instanceof Blob ? file : new Blob([file.bytes], { type: file.type })
  const { name } = file as { name?: string }
  const input = { contentType: body.type || 'application/octet-stream', byteSize: body.size, ...(name && { name }) }
  const progress = createValue<UploadState>({ state: 'uploading', sentBytes: 0, byteSize: body.size })
  const stopping = new AbortController()
  const show = (change: Partial<UploadState>) => progress.set({ ...progress.get(), ...change })

  async function run(): Promise<Attachment> {
    for (let refusals = 0; ; refusals += 1) {
      const { createUpload: place } = await retry(() => chat.ask(CreateUploadDocument, { input }))
      const status = await retry(() => put(place, body, stopping.signal, (sentBytes) => show({ sentBytes })))
      if (status < 300) return place.attachment
      // The place may have expired while there was no network: it is asked for anew, once.
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

/** The addresses of attachments end after a while; these are new ones. */
export async function refreshAttachments(chat: Chat, messageId: string): Promise<readonly Attachment[]> {
  const { node } = await chat.ask(AttachmentsDocument, { messageId })
  return node && 'attachments' in node ? node.attachments : []
}

const cancelled = (): ClientError => new ClientError('Cancelled.', { code: 'NETWORK', retryable: false })

type Put = (place: Place, body: Blob, signal: AbortSignal, onSent: (bytes: number) => void) => Promise<number>

/** The status, if it says something about the file; what may pass is an error. */
const put: Put = async (place, body, signal, onSent) => {
  onSent(0)
  const status = await (typeof XMLHttpRequest === 'undefined' ? putByFetch : putByXhr)(place, body, signal, onSent)
  if (status >= 500 || status === 408 || status === 429) throw networkError(`The store answered with status ${status}.`)
  return status
}

/** Browsers set these themselves, and complain about whoever tries. */
const headersOf = ({ headers }: Place): [string, string][] =>
  headers.filter(({ name }) => !/^(content-length|host)$/i.test(name)).map(({ name, value }) => [name, value])

const putByFetch: Put = async (place, body, signal) => {
  const { status } = await fetch(place.uploadUrl, { method: 'PUT', headers: headersOf(place), body, signal })
  return status
}

/** Where fetch cannot tell how much has gone. */
const putByXhr: Put = (place, body, signal, onSent) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const fail = () => {
      clearTimeout(stalled)
      reject(networkError('The file could not be put.'))
    }
    const abort = () => request.abort()
    let stalled = setTimeout(abort, stalledMs)
    request.open('PUT', place.uploadUrl)
    for (const [name, value] of headersOf(place)) request.setRequestHeader(name, value)
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
