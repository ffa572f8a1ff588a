/** The errors of push services are shorter than this. */
const answerMaxBytes = 64 * 1024

/** Reads the text of an answer. An answer that is longer than any error is cut off, and its connection is closed. */
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
