import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { BackIcon, RefreshIcon } from '../../../demo/src/parts/icons.tsx'
import { useFocusOnMount } from '../../../demo/src/parts/use-focus-on-mount.ts'
import { hrefOf, type View } from '../route.ts'
import { viewNames } from '../shell/view-names.tsx'
import styles from './page.module.css'

type Props = {
  title: string
  /** The view that the page is one of. */
  back?: View
  onRefresh?: () => void
  /** What can be done, beside the title. */
  actions?: ReactNode
  /** The page takes the whole width. */
  wide?: boolean
  children: ReactNode
}

/** Shows one view. It has the focus when it comes, so that keyboard users go on at its beginning. */
export function Page({ title, back, onRefresh, actions, wide, children }: Props) {
  const main = useFocusOnMount()
  useEffect(() => {
    document.title = `${title} · Parley console`
  }, [title])
  return (
    <main ref={main} tabIndex={-1} className={styles.page} data-wide={wide}>
      {back && (
        <a className={`quiet-button ${styles.back}`} href={hrefOf({ view: back })}>
          <BackIcon size={18} /> {viewNames[back]}
        </a>
      )}
      <div className={styles.head}>
        <h1 dir="auto">{title}</h1>
        {onRefresh && (
          <button type="button" className="round-button" aria-label="Refresh" title="Refresh" onClick={onRefresh}>
            <RefreshIcon size={20} />
          </button>
        )}
        <div className={styles.actions}>{actions}</div>
      </div>
      {children}
    </main>
  )
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
