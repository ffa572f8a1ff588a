// What compiled operations are made of: functions that write a value as JSON. Their text is there at once, or a promise where something in
// it has to be waited for.

import { GraphQLID, GraphQLInt, type GraphQLLeafType, GraphQLString } from 'graphql'
import type { Variables } from './compiled-variables.ts'

/** What one run has to hand. */
export type Run = {
  readonly context: object
  readonly variables: Variables
  /** Set by fields that are not the same for everybody, see `sameForAll`. */
  isPersonal: boolean
}

export type Text = string | Promise<string>

export type WriteValue = (value: unknown, run: Run) => Text
export type WriteField = (source: unknown, run: Run) => Text

/** Counts what an operation loads, in its context. */
export type Loads = {
  loadedBy(context: object): number
  /** Throws once that is more than an operation may load. */
  charge(context: object, cost: number): void
}

/** Thrown for what graphql-js has to execute: while an operation is compiled, or while its answer is written. */
export class NotCompilable extends Error {}

/** `names`: what stands before each field, from the opening brace on. */
export function objectOf(names: readonly string[], fields: readonly WriteField[]): WriteValue {
  return (source, run) => {
    let text = ''
    let parts: Text[] | undefined
    try {
      for (let i = 0; i < fields.length; i += 1) {
        text += names[i]
        const written = (fields[i] as WriteField)(source, run)
        if (typeof written === 'string') text += written
        else {
          parts ??= []
          parts.push(text, written)
          text = ''
        }
      }
    } catch (error) {
      if (parts) disregard(parts)
      throw error
    }
    return parts ? joined(parts, `${text}}`) : `${text}}`
  }
}

export function listOf(item: WriteValue): WriteValue {
  return (value, run) => {
    if (!Array.isArray(value)) throw new NotCompilable()
    let text = '['
    let parts: Text[] | undefined
    try {
      for (let i = 0; i < value.length; i += 1) {
        if (i > 0) text += ','
        const each: unknown = value[i]
        const written = isPromise(each) ? each.then((one) => item(one, run)) : item(each, run)
        if (typeof written === 'string') text += written
        else {
          parts ??= []
          parts.push(text, written)
          text = ''
        }
      }
    } catch (error) {
      if (parts) disregard(parts)
      throw error
    }
    return parts ? joined(parts, `${text}]`) : `${text}]`
  }
}

export function leafOf(type: GraphQLLeafType): WriteValue {
  const serialized = (value: unknown): string => {
    const shown = type.serialize(value)
    if (shown === null || shown === undefined) throw new NotCompilable()
    return typeof shown === 'string' ? quoted(shown) : JSON.stringify(shown)
  }
  if (type === GraphQLString || type === GraphQLID) {
    return (value) => (typeof value === 'string' ? quoted(value) : serialized(value))
  }
  // What is no integer of 32 bits is graphql-js's to refuse.
  if (type === GraphQLInt) return (value) => (value === (value as number) >> 0 ? `${value}` : serialized(value))
  return serialized
}

/** Longer ones are looked through faster by JSON.stringify. */
const plainMaxChars = 48

/** Most texts are ids, which need no escaping. */
function quoted(text: string): string {
  if (text.length > plainMaxChars) return JSON.stringify(text)
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    // Quotes, backslashes, control characters, and whatever might be half of a pair.
    if (code < 32 || code === 34 || code === 92 || code >= 0xd800) return JSON.stringify(text)
  }
  return `"${text}"`
}

/** For sources that several may be given: the text is kept as long as they are, and costs each of them what it cost the first. */
export function writtenOnce(write: WriteValue, loads: Loads): WriteValue {
  const texts = new WeakMap<object, { text: string; cost: number }>()
  return (source, run) => {
    const known = texts.get(source as object)
    if (known !== undefined) {
      loads.charge(run.context, known.cost)
      return known.text
    }
    const loadedBefore = loads.loadedBy(run.context)
    const text = write(source, run)
    // What is written at once is written by nothing else in between.
    const cost = loads.loadedBy(run.context) - loadedBefore
    if (typeof text === 'string') texts.set(source as object, { text: inOnePiece(text), cost })
    return text
  }
}

/** What is put together from parts is copied together only when it is looked at: once, rather than by all who take it over. */
function inOnePiece(text: string): string {
  text.charCodeAt(0)
  return text
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

async function joined(parts: readonly Text[], rest: string): Promise<string> {
  return (await Promise.all(parts)).join('') + rest
}

/** Nobody waits for these any more. */
function disregard(parts: readonly Text[]): void {
  for (const part of parts) if (typeof part !== 'string') part.catch(() => undefined)
}
