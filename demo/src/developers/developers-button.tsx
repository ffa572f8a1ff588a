import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { CodeIcon } from '../parts/icons.tsx'
import { DeveloperNotes } from './developer-notes.tsx'

/** The example sends a message to the viewer, so that they see it arrive. */
export function DevelopersButton({ viewer }: { viewer: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="quiet-button" onClick={() => setOpen(true)}>
        <CodeIcon size={18} /> For developers
      </button>
      {open && (
        <Dialog title="For developers" onClose={() => setOpen(false)}>
          <DeveloperNotes from={viewer === 'bob' ? 'alice' : 'bob'} to={viewer} />
        </Dialog>
      )}
    </>
  )
}
