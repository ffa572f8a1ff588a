// A backend that follows the feed, keeps each event with its position in a file, and goes on from there whenever it is started.

import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const { URLS = '', TOKEN = '', FILE = '', FROM = '' } = process.env
const query = `subscription ($after: String) {
  events(after: $after) { id type conversationId seq data position }
}`

let after = lastPosition() ?? FROM
for (let turn = 0; ; turn += 1) {
  const urls = URLS.split(',')
  await follow(urls[turn % urls.length]).catch(() => undefined)
  // As a backend does that has lost its stream: nothing tells it when a node is there again.
  await sleep(100)
}

/** A line that was cut off by the end of this process is none. */
function lastPosition() {
  if (!existsSync(FILE)) return undefined
  const text = readFileSync(FILE, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  truncateSync(FILE, Buffer.byteLength(whole))
  const line = whole.trimEnd().split('\n').at(-1)
  return line ? JSON.parse(line).position : undefined
}

async function follow(url) {
  const response = await fetch(`${url}/admin/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ query, variables: { after } }),
  })
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop()
    for (const block of blocks) {
      const line = block.split('\n').find((each) => each.startsWith('data:'))
      const event = line?.slice(5).trim() && JSON.parse(line.slice(5)).data?.events
      if (!event) continue
      appendFileSync(FILE, `${JSON.stringify(event)}\n`)
      after = event.position
    }
  }
}
