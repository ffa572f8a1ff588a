import { createContext, type ReactNode, useContext, useState } from 'react'
import { CloseIcon } from '../../../demo/src/parts/icons.tsx'
import styles from './notice.module.css'

const NoticeContext = createContext<(words: string) => void>(() => undefined)

/** Says what was done where the page itself does not show it. The words stay until the next ones, or until the page is left. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const [words, setWords] = useState<string>()
  return (
    <NoticeContext.Provider value={setWords}>
      {children}
      <div role="status" className={styles.place}>
        {words && (
          <p className={styles.notice}>
            {words}
            <button type="button" className="round-button" aria-label="Dismiss" onClick={() => setWords(undefined)}>
              <CloseIcon size={18} />
            </button>
          </p>
        )}
      </div>
    </NoticeContext.Provider>
  )
}

export const useNotify = (): ((words: string) => void) => useContext(NoticeContext)
