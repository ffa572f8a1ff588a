/** An error says what it has to say in less. */
const answerMaxBytes = 64 * 1024

/** The text of an answer. What is longer than an answer can be is cut off, and its connection with it. */
export async function answerText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop early cancels the body.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    text += decoder.decode(chunk, { stream: true })
    if (bytes > answerMaxBytes) break
  }
  return text
}
