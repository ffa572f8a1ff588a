import answers from '../../../demo/src/parts/confirm-dialog.module.css'
import { CopyButton } from '../../../demo/src/parts/copy-button.tsx'
import { Dialog } from '../../../demo/src/parts/dialog.tsx'
import styles from './webhooks.module.css'

/** The secret is in one answer and nowhere else, so it is shown until somebody says that they have it. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="The secret of the webhook" onClose={onClose} asks stays>
      <p>Deliveries are signed with it. It is shown once: copy it to where your backend finds it.</p>
      <p className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} />
      </p>
      <div className={answers.answers}>
        <button type="button" className="button" onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  )
}
