import type { Attachment as AttachmentSource } from '../../ports/log.ts'
import { attachmentUrl } from '../../resolvers/messages/attachments.ts'
import { builder } from '../builder.ts'

export const Attachment = builder.objectRef<AttachmentSource>('Attachment').implement({
  description: 'A file that goes with a message.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'For `attachmentIds`. Opaque; not valid in `node`.' }),
    url: t.string({
      description:
        'Where to fetch it, with GET and no token; good for an hour at least. Whoever has it can fetch the file, so it is ' +
        'made for readers of the message alone. Pictures, sound, film and PDF may be shown; anything else comes as a download.',
      resolve: (attachment, _args, ctx) => attachmentUrl(ctx, attachment),
    }),
    contentType: t.exposeString('contentType', { description: 'Its MIME type, as the sender gave it.' }),
    byteSize: t.exposeInt('byteSize', { description: 'Its size in bytes.' }),
    name: t.exposeString('name', { nullable: true, description: 'Its file name, if the sender gave one.' }),
  }),
})
