import type { AttachmentFieldsFragment } from '@parley/client'
import { useState } from 'react'
import styles from './attachments.module.css'
import { FileRow } from './file-row.tsx'
import { isPicture } from './file-words.ts'
import { Picture } from './picture.tsx'
import { PictureDialog } from './picture-dialog.tsx'

type Props = {
  files: readonly Shown[]
  /** Is needed to get new URLs when they expire. It is undefined for an outgoing message. */
  messageId: string | undefined
  tabbable: boolean
}

/** A file without a URL shows its name only. */
export type Shown = Omit<AttachmentFieldsFragment, 'url'> & { url?: string }

const isShownAsPicture = ({ contentType, url }: Shown): boolean => isPicture(contentType) && url !== undefined

export const hasPicture = (files: readonly Shown[]): boolean => files.some(isShownAsPicture)

export function Attachments({ files, messageId, tabbable }: Props) {
  const [open, setOpen] = useState<Shown>()
  const pictures = files.filter(isShownAsPicture)
  const others = files.filter((file) => !pictures.includes(file))
  if (files.length === 0) return null
  return (
    <>
      {pictures.length > 0 && (
        <div className={styles.pictures} data-many={pictures.length > 1 || undefined}>
          {pictures.map((file) => (
            <Picture key={file.id} file={file} messageId={messageId} tabbable={tabbable} onOpen={setOpen} />
          ))}
        </div>
      )}
      {others.map((file) => (
        <FileRow key={file.id} file={file} messageId={messageId} tabbable={tabbable} />
      ))}
      {open && <PictureDialog file={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}
