import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { hrefOf, type Place } from '../place.ts'
import { navigate } from './use-place.ts'

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { place: Place }

/** A real link, so that it opens in another tab too; followed here, the page stays loaded. */
export function PlaceLink({ place, onClick, children, ...rest }: Props) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event)
    const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (event.defaultPrevented || elsewhere) return
    event.preventDefault()
    navigate(place)
  }
  return (
    <a {...rest} href={hrefOf(place)} onClick={follow}>
      {children}
    </a>
  )
}
