import { useEffect, useState } from 'react'
import { fetchDevToken } from '../dev-token.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { nameOf } from '../people.ts'
import styles from './developers.module.css'

type Props = { from: string; to: string }

/** Shows developers how to use the API behind this page. */
export function DeveloperNotes({ from, to }: Props) {
  const curl = useCurl(from, to)
  return (
    <div className={styles.notes}>
      <p>
        Everything here goes through one GraphQL endpoint. <a href="/graphql">Open GraphiQL</a>: its tabs walk you
        through a conversation between Alice and Bob.
      </p>
      <p>
        Or send a message as {nameOf({ id: from })} to {nameOf({ id: to })} from a shell. Run it twice: the second time
        it is a retry, and nothing is sent again.
      </p>
      <div className={styles.command}>
        <pre>{curl}</pre>
        <CopyButton text={curl} />
      </div>
      <p>
        The page itself is <code>demo/</code>, on the client runtime in <code>packages/client/</code>. The protocol and
        every setting are in <code>docs/</code>. Also here: <a href="/healthz">/healthz</a>,{' '}
        <a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a>.
      </p>
    </div>
  )
}

function useCurl(from: string, to: string): string {
  const [token, setToken] = useState('…')
  useEffect(() => {
    fetchDevToken(from, { name: nameOf({ id: from }) }).then(setToken, () => setToken('<a token from POST /dev/token>'))
  }, [from])
  const body = { clientMessageId: `hello-${to}`, to: { userId: to }, body: `Hello, ${nameOf({ id: to })}!` }
  return [
    `curl ${window.location.origin}/messages \\`,
    "  -H 'content-type: application/json' \\",
    `  -H 'authorization: Bearer ${token}' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
}
