import { DeveloperNotes } from '../developers/developer-notes.tsx'
import { Logo } from '../parts/logo.tsx'
import { useFocusOnMount } from '../parts/use-focus-on-mount.ts'
import { OwnName } from './own-name.tsx'
import { SampleChat } from './sample-chat.tsx'
import { SampleList } from './sample-list.tsx'
import styles from './welcome.module.css'

/** The first page. A click signs in as a sample person. */
export function Welcome() {
  const main = useFocusOnMount()
  return (
    <main ref={main} tabIndex={-1} className={styles.page}>
      <div className={styles.hero}>
        <section className={styles.pitch}>
          <h1 className={styles.brand}>
            <Logo size={40} /> Parley
          </h1>
          <p className={styles.claim}>
            Chat that keeps its <em>word</em>.
          </p>
          <p className={styles.lead}>
            Messages that arrive once and in order, ticks that turn live, and nothing lost when the network is. This
            page talks to the server on your machine, as two people if you like.
          </p>
          <SampleChat />
        </section>
        <section className={styles.card} aria-labelledby="who">
          <h2 id="who">Who are you?</h2>
          <p className={styles.soft}>Anybody, in development mode. No password.</p>
          <SampleList />
          <p className={styles.or}>or</p>
          <OwnName />
        </section>
      </div>
      <section className={styles.developers} aria-labelledby="developers">
        <h2 id="developers">For developers</h2>
        <DeveloperNotes from="alice" to="bob" />
      </section>
    </main>
  )
}
