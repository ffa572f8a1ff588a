import type { MouseEvent, ReactNode } from 'react'
import { ownName, type Person } from '../people.ts'
import { hrefOf } from '../route.ts'

type Props = { as: Person; with: string; className?: string; children: ReactNode }

/** Opens the other side of a chat in a window beside this one, if the browser allows it, so that the user sees ticks turn. */
export function SecondWindow({ as, with: other, children, ...rest }: Props) {
  const name = ownName(as)
  const href = hrefOf({ as: as.id, ...(name && { name }), with: other })
  function open(event: MouseEvent): void {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    const beside = `popup,width=440,height=760,left=${window.screenX + Math.max(0, window.outerWidth - 460)},top=${window.screenY + 60}`
    if (window.open(href, `parley-${as.id}`, beside)) event.preventDefault()
  }
  return (
    <a {...rest} href={href} target="_blank" rel="noopener" onClick={open}>
      {children}
    </a>
  )
}
