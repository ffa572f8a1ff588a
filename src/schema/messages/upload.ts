import type { Announced } from '../../domain/media/uploads.ts'
import { createUpload, headersOf, uploadUrl } from '../../resolvers/messages/attachments.ts'
import { builder } from '../builder.ts'
import { Attachment } from './attachment.ts'

const CreateUploadInput = builder.inputType('CreateUploadInput', {
  description: 'A file to upload.',
  fields: (t) => ({
    contentType: t.string({
      required: true,
      description: 'Its MIME type, in lower case and without parameters: `image/png`.',
    }),
    byteSize: t.int({ required: true, description: 'Its exact size in bytes: 1 to 26,214,400 (25 MB).' }),
    name: t.string({ description: 'Its file name: 1 to 255 characters, without a path and control characters.' }),
  }),
})

const HeaderPair = builder.objectRef<{ name: string; value: string }>('HeaderPair').implement({
  description: 'An HTTP header.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, in lower case.' }),
    value: t.exposeString('value', { description: 'Its value, to be sent as it is.' }),
  }),
})

const CreateUploadPayload = builder.objectRef<Announced>('CreateUploadPayload').implement({
  description: 'Where a file goes.',
  fields: (t) => ({
    attachment: t.expose('attachment', {
      type: Attachment,
      description: 'The attachment it will be; its `url` works once the file is uploaded.',
    }),
    uploadUrl: t.string({
      description:
        'PUT the file here within 15 minutes, with `headers` and no token. It takes exactly `byteSize` bytes of that type ' +
        'and refuses anything else; content-length is signed too, but is set by the HTTP client itself. It may be repeated.',
      resolve: (announced, _args, ctx) => uploadUrl(ctx, announced),
    }),
    headers: t.field({
      type: [HeaderPair],
      description: 'The headers to send with the PUT.',
      resolve: (announced) => headersOf(announced),
    }),
  }),
})

builder.mutationField('createUpload', (t) =>
  t.field({
    type: CreateUploadPayload,
    description:
      'Announces a file and says where to upload it. Then name it in `attachmentIds` of a message within 24 hours; what is ' +
      'not sent by then is removed.',
    args: { input: t.arg({ type: CreateUploadInput, required: true, description: 'The file.' }) },
    resolve: (_root, { input }, ctx) => createUpload(ctx, input),
  }),
)
