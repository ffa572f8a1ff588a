import { useSyncExternalStore } from 'react'
import { CloseIcon, FileIcon } from '../parts/icons.tsx'
import styles from './attaching-strip.module.css'
import { sizeWords } from './file-words.ts'
import { type Attaching, type Attachings, previewable } from './use-attaching.ts'

/** Shows above the composer the files of the next message, and their progress. */
export function AttachingStrip({ attachings: { files, remove } }: { attachings: Attachings }) {
  if (files.length === 0) return null
  return (
    <ul className={styles.strip} aria-label="Attached">
      {files.map((each) => (
        <Tile key={each.key} attaching={each} onRemove={() => remove(each.key)} />
      ))}
    </ul>
  )
}

function Tile({ attaching, onRemove }: { attaching: Attaching; onRemove: () => void }) {
  const { file, url, upload } = attaching
  const { state, sentBytes, byteSize, error } = useSyncExternalStore(upload.progress.subscribe, upload.progress.get)
  const uploading = state === 'uploading'
  return (
    <li className={styles.tile} data-state={state}>
      {previewable(attaching) ? (
        <img src={url} alt="" className={styles.thumb} />
      ) : (
        <span className={styles.thumb}>
          <FileIcon size={26} />
        </span>
      )}
      <span className={styles.words}>
        <b>{file.name}</b>
        {error ? (
          <span role="alert" className={styles.error}>
            {error.message}
          </span>
        ) : (
          <span>{uploading ? `${sizeWords(sentBytes)} of ${sizeWords(byteSize)}` : sizeWords(byteSize)}</span>
        )}
        {uploading && <progress value={sentBytes} max={byteSize} aria-label={`Uploading ${file.name}`} />}
      </span>
      <button
        type="button"
        className={`round-button ${styles.remove}`}
        aria-label={uploading ? `Cancel ${file.name}` : `Remove ${file.name}`}
        onClick={onRemove}
      >
        <CloseIcon size={18} />
      </button>
    </li>
  )
}
