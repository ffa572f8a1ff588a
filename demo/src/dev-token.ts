type Claims = { name?: string | undefined; scope?: string }

/** Gets a token for any user or service. The server gives it out in development mode alone. */
export async function fetchDevToken(userId: string, claims: Claims = {}): Promise<string> {
  const response = await fetch('/dev/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId, ...claims }),
  })
  if (!response.ok) throw new Error(`No token: the server answered ${response.status}.`)
  const { token } = (await response.json()) as { token: string }
  return token
}
