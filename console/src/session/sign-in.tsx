import { type FormEvent, useId, useState } from 'react'
import { fetchDevToken } from '../../../demo/src/dev-token.ts'
import { Logo } from '../../../demo/src/parts/logo.tsx'
import { Problem } from '../../../demo/src/parts/problem.tsx'
import { useAction } from '../../../demo/src/parts/use-action.ts'
import { useFocusOnMount } from '../../../demo/src/parts/use-focus-on-mount.ts'
import { SessionDocument } from '../generated/urql.ts'
import { createAdminClient, wordsOf } from './admin-client.ts'
import styles from './sign-in.module.css'
import { adminScope, readToken, type Token } from './token.ts'

type Props = {
  /** Why a session that is still there has ended. */
  why?: string | undefined
  onSignIn: (token: Token) => void
  onSignOut?: (() => void) | undefined
}

/** The name under which the console speaks in development mode. */
const developmentService = 'console'

const offersDevTokens = 'devTokens' in document.body.dataset || import.meta.env.DEV

export function SignIn({ why, onSignIn, onSignOut }: Props) {
  const [pasted, setPasted] = useState('')
  const { busy, problem, run } = useAction()
  const main = useFocusOnMount()
  const fieldId = useId()
  const tryToken = (text: string) => check(readToken(text, Date.now())).then(onSignIn)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run(async () => tryToken(pasted))
  }
  const signInAsDeveloper = () =>
    run(async () => tryToken(await fetchDevToken(developmentService, { scope: adminScope })))
  return (
    <main ref={main} tabIndex={-1} className={styles.page}>
      <div className={styles.card}>
        <h1>
          <Logo size={32} /> Parley console
        </h1>
        {why ? (
          <p role="status" className={styles.why}>
            {why} {onSignOut && 'Sign in again and go on where you were.'}
          </p>
        ) : (
          <p className={styles.soft}>For the people who run this chat. It opens everything: every chat of everybody.</p>
        )}
        {offersDevTokens && (
          <div className={styles.development}>
            <button type="button" className="button" disabled={busy} onClick={signInAsDeveloper}>
              Sign in
            </button>
            <span className={styles.soft}>This server is in development mode: it gives everybody a token.</span>
          </div>
        )}
        <form onSubmit={submit}>
          <label htmlFor={fieldId}>{offersDevTokens ? 'Or paste a token' : 'Token'}</label>
          <textarea
            id={fieldId}
            className="field"
            rows={4}
            value={pasted}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="eyJ…"
            aria-describedby={`${fieldId}-hint`}
            onChange={(event) => setPasted(event.target.value)}
          />
          <p id={`${fieldId}-hint`} className={styles.soft}>
            The token of a service, whose scope holds <code>{adminScope}</code>. It stays in this tab, and is gone with
            it.
          </p>
          <Problem words={problem} />
          <div className={styles.answers}>
            {onSignOut && (
              <button type="button" className="quiet-button" onClick={onSignOut}>
                Sign out
              </button>
            )}
            <button
              type="submit"
              className={offersDevTokens ? 'quiet-button' : 'button'}
              disabled={busy || pasted.trim() === ''}
            >
              {busy ? 'Asking the server…' : 'Sign in with it'}
            </button>
          </div>
        </form>
      </div>
    </main>
  )
}

/** Throws in the server's words if the token does not open the admin API. */
async function check(token: Token): Promise<Token> {
  const { error } = await createAdminClient(token, () => undefined).query(SessionDocument, {})
  if (error) throw new Error(wordsOf(error))
  return token
}
