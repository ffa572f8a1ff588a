import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type Upload, upload } from '../../../src/client/media.ts'
import { useChat } from '../../../src/client/react/hooks.tsx'
import { fileProblem } from './file-problem.ts'
import { isPicture } from './file-words.ts'
import { keepSentFile } from './sent-files.ts'

/** A file on its way up, before the message that carries it. `url`: of the file as it lies here. */
export type Attaching = { key: string; file: File; url: string; upload: Upload }

export type Attachings = ReturnType<typeof useAttaching>

/** What waits in the composer. It goes up at once, and is given up with the window or the chat. */
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
  /** Their ids, for the message; they are the message's from now on. */
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
    /** Everything is there; also when there is nothing. */
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

/** What a paste or a drop has brought. */
export const filesIn = (data: DataTransfer | null): File[] => [...(data?.files ?? [])]

export const previewable = ({ file }: Attaching): boolean => isPicture(file.type)
