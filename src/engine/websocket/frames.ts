// Makes the text frames of graphql-transport-ws, header included. A server's frames are not masked, so clients that are sent the same answer
// under the same id are sent the same bytes.

import { MessageType } from 'graphql-ws'
import type { Answer, JointAnswer } from '../graphql/answer.ts'

const textOpcode = 0x81
const completeEnd = `,"type":"${MessageType.Complete}"}`
const nextMiddle = `,"type":"${MessageType.Next}","payload":`

export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(headLength(length) + length)
  bytes.write(text, writeHead(bytes, 0, length))
  return bytes
}

/** A ping of WebSocket itself, without content. All sockets are sent the same bytes. */
export const pingFrame: Buffer = Buffer.from([0x89, 0])

export const messageFrame = (message: object): Buffer => frameOf(JSON.stringify(message))

/** Frames one event of a subscription. The answer keeps its last frame, for the next client that is sent it under the same id. */
export function nextFrame(id: string, answer: Answer): Buffer {
  if (answer.frame?.id === id) return answer.frame.bytes
  const bytes = frameOf(`{"id":${JSON.stringify(id)}${nextMiddle}${answer.json}}`)
  answer.frame = { id, bytes }
  return bytes
}

/**
 * Frames several events of a subscription, one after the other in one buffer; in two, if one of them is left out in between. The answers keep
 * their frames, as one answer does.
 */
export function nextFrames(id: string, answers: JointAnswer, except: number): Buffer[] {
  const { bytes, ends } = answers.frames?.id === id ? answers.frames : framesOf(id, answers)
  if (except < 0) return [bytes]
  const [start, end] = [ends[except - 1] ?? 0, ends[except] ?? 0]
  return [bytes.subarray(0, start), bytes.subarray(end)].filter(({ length }) => length > 0)
}

function framesOf(id: string, answers: JointAnswer) {
  const frames = answers.jsons.map((json) => frameOf(`{"id":${JSON.stringify(id)}${nextMiddle}${json}}`))
  let end = 0
  const ends = frames.map(({ length }) => {
    end += length
    return end
  })
  answers.frames = { id, bytes: Buffer.concat(frames), ends }
  return answers.frames
}

/** Frames the one answer of a query or mutation, followed by the message that completes it: two frames in one buffer. */
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

/** Writes the header of a frame. Returns where its text begins. */
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
