import { useRef } from 'react'
import { AttachIcon } from '../parts/icons.tsx'

export function AttachButton({ onChoose }: { onChoose: (files: readonly File[]) => void }) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" className="round-button" aria-label="Attach" onClick={() => field.current?.click()}>
        <AttachIcon />
      </button>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])])
          // The same file may be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}
