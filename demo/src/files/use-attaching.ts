import { type Upload, upload } from '@parley/client/media'
import { useChat } from '@parley/client/react'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { fileProblem } from './file-problem.ts'
import { isPicture } from './file-words.ts'
import { keepSentFile } from './sent-files.ts'

/** A file that is uploaded before the message that carries it. `url` is a local URL of the file. */
export type Attaching = { key: string; file: File; url: string; upload: Upload }

export type Attachings = ReturnType<typeof useAttaching>

/** Uploads the files of the composer at once. Leaving the chat or closing the window cancels them. */
export function useAttaching() {
  const chat = useChat()
  const [files, setFiles] = useState<readonly Attaching[]>([])
  const [problem, setProblem] = useState<string>()
  const latest = useRef(files)
  latest.current = files
  const states = useStates(files)

  const add = useCallback(
    (chosen: readonly File[]) => {
      const problems = chosen.map((file, index) => fileProblem(file, latest.current.length + index))
      setProblem(problems.find((each) => each !== undefined))
      const begun = chosen
        .filter((_, index) => problems[index] === undefined)
        .map((file) => ({
          key: crypto.getRandomValues(new Uint32Array(2)).join(),
          file,
          url: URL.createObjectURL(file),
          upload: upload(chat, file),
        }))
      setFiles((others) => [...others, ...begun])
    },
    [chat],
  )
  function remove(key: string): void {
    for (const each of files) if (each.key === key) giveUp(each)
    setFiles((all) => all.filter((each) => each.key !== key))
  }
  /** Returns the ids for the message, which owns the files from now on. */
  async function take(): Promise<string[]> {
    const taken = files
    setFiles([])
    const attachments = await Promise.all(taken.map((each) => each.upload.attachment))
    for (const [index, { id, contentType, name, byteSize }] of attachments.entries()) {
      keepSentFile({ id, contentType, name, byteSize, url: taken[index]?.url ?? '' })
    }
    return attachments.map(({ id }) => id)
  }
  useEffect(
    () => () => {
      for (const each of latest.current) giveUp(each)
    },
    [],
  )
  return {
    files,
    /** Is true when all files are uploaded, also when there are none. */
    ready: states.every((state) => state === 'done'),
    problem,
    dismiss: () => setProblem(undefined),
    add,
    remove,
    take,
  }
}

function giveUp({ upload: { cancel, attachment }, url }: Attaching): void {
  attachment.catch(() => undefined)
  cancel()
  URL.revokeObjectURL(url)
}

function useStates(files: readonly Attaching[]): string[] {
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = files.map(({ upload: { progress } }) => progress.subscribe(listener))
      return () => {
        for (const stop of stops) stop()
      }
    },
    [files],
  )
  const states = useSyncExternalStore(subscribe, () =>
    files.map(({ upload: { progress } }) => progress.get().state).join(),
  )
  return states === '' ? [] : states.split(',')
}

/** Returns the files of a paste or a drop. */
export const filesIn = (data: DataTransfer | null): File[] => [...(data?.files ?? [])]

export const previewable = ({ file }: Attaching): boolean => isPicture(file.type)
