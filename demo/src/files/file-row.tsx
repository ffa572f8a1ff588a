import { refreshAttachments } from '@parley/client/media'
import { useChat } from '@parley/client/react'
import { type MouseEvent, useState } from 'react'
import { FileIcon } from '../parts/icons.tsx'
import { problemWords } from '../parts/problem-words.ts'
import styles from './attachments.module.css'
import type { Shown } from './attachments.tsx'
import { sizeWords } from './file-words.ts'

type Props = { file: Shown; messageId: string | undefined; tabbable: boolean }

export function FileRow({ file, messageId, tabbable }: Props) {
  const chat = useChat()
  const [problem, setProblem] = useState<string>()
  const name = file.name ?? 'File'
  /** Downloads with a new URL, because the one of the message may have expired. */
  function download(event: MouseEvent): void {
    if (!messageId) return
    event.preventDefault()
    setProblem(undefined)
    refreshAttachments(chat, messageId)
      .then((files) => {
        const fresh = files.find(({ id }) => id === file.id)
        if (fresh) follow(fresh.url, name)
        else setProblem('It is not there any more.')
      })
      .catch((error: unknown) => setProblem(problemWords(error)))
  }
  const words = (
    <>
      <FileIcon size={26} />
      <span>
        <b>{name}</b>
        {file.byteSize > 0 && <span>{sizeWords(file.byteSize)}</span>}
        {problem && <span role="alert">{problem}</span>}
      </span>
    </>
  )
  if (!file.url) return <p className={styles.file}>{words}</p>
  return (
    <a className={styles.file} href={file.url} download={name} tabIndex={tabbable ? 0 : -1} onClick={download}>
      {words}
    </a>
  )
}

function follow(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
