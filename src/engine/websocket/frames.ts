// The text frames of graphql-transport-ws that carry answers, bytes and all: a server's frames are not masked, and the client's id is
// all that differs between those who are sent the same.

import { MessageType } from 'graphql-ws'
import type { Answer } from '../../engine/graphql/answer.ts'

const textOpcode = 0x81
const completeEnd = `,"type":"${MessageType.Complete}"}`
const nextMiddle = `,"type":"${MessageType.Next}","payload":`

export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(headLength(length) + length)
  bytes.write(text, writeHead(bytes, 0, length))
  return bytes
}

/** One event of a subscription. Whoever is sent the same under the same id is sent the same bytes. */
export function nextFrame(id: string, answer: Answer): Buffer {
  if (answer.frame?.id === id) return answer.frame.bytes
  const bytes = frameOf(`{"id":${JSON.stringify(id)}${nextMiddle}${answer.json}}`)
  answer.frame = { id, bytes }
  return bytes
}

/** The one answer of a query or mutation, and that there will be no other: two frames, one after the other. */
export function onlyFrames(id: string, { json }: Answer): Buffer {
  const named = `{"id":${JSON.stringify(id)}`
  const next = `${named}${nextMiddle}${json}}`
  const complete = `${named}${completeEnd}`
  const nextLength = Buffer.byteLength(next)
  const completeLength = Buffer.byteLength(complete)
  const bytes = Buffer.allocUnsafe(headLength(nextLength) + nextLength + headLength(completeLength) + completeLength)
  let at = writeHead(bytes, 0, nextLength)
  at += bytes.write(next, at)
  bytes.write(complete, writeHead(bytes, at, completeLength))
  return bytes
}

const headLength = (length: number): number => (length < 126 ? 2 : length < 65_536 ? 4 : 10)

/** Returns where the text begins. */
function writeHead(bytes: Buffer, at: number, length: number): number {
  bytes[at] = textOpcode
  if (length < 126) {
    bytes[at + 1] = length
    return at + 2
  }
  if (length < 65_536) {
    bytes[at + 1] = 126
    bytes.writeUInt16BE(length, at + 2)
    return at + 4
  }
  bytes[at + 1] = 127
  bytes.writeUInt32BE(Math.floor(length / 2 ** 32), at + 2)
  bytes.writeUInt32BE(length >>> 0, at + 6)
  return at + 10
}
