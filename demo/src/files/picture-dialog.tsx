import { Dialog } from '../parts/dialog.tsx'
import styles from './attachments.module.css'
import type { Shown } from './attachments.tsx'

type Props = { file: Shown; onClose: () => void }

export function PictureDialog({ file, onClose }: Props) {
  const name = file.name ?? 'Picture'
  return (
    <Dialog title={name} onClose={onClose} wide>
      <img className={styles.large} src={file.url} alt={name} />
    </Dialog>
  )
}
