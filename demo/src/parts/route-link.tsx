import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { hrefOf, type Route } from '../route.ts'
import { navigate } from './use-route.ts'

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { route: Route }

/** A real link, which can be opened in another tab. A plain click changes the route without a reload. */
export function RouteLink({ route, onClick, children, ...rest }: Props) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event)
    const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (event.defaultPrevented || elsewhere) return
    event.preventDefault()
    navigate(route)
  }
  return (
    <a {...rest} href={hrefOf(route)} onClick={follow}>
      {children}
    </a>
  )
}
