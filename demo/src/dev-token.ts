/** Gets a token for any user. The server gives it out in development mode alone. */
export async function fetchDevToken(userId: string, name?: string): Promise<string> {
  const response = await fetch('/dev/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId, name }),
  })
  if (!response.ok) throw new Error(`No token: the server answered ${response.status}.`)
  const { token } = (await response.json()) as { token: string }
  return token
}
