// Compiled operations are made of these functions, which write a value as JSON. They return the text, or a promise if some part of it has to
// be waited for.

import { GraphQLID, GraphQLInt, type GraphQLLeafType, GraphQLString } from 'graphql'
import { rememberedOn } from '../../shared/remembered.ts'
import type { Variables } from './compiled-variables.ts'

/** One execution of a compiled operation has these. */
export type Run = {
  readonly context: object
  readonly variables: Variables
  /** Fields that are not the same for all viewers set it, see `sameForAll`. */
  isPersonal: boolean
}

export type Text = string | Promise<string>

export type WriteValue = (value: unknown, run: Run) => Text
export type WriteField = (source: unknown, run: Run) => Text

/** Counts what an operation loads, in its context. */
export type Loads = {
  loadedBy(context: object): number
  /** Throws once the operation has loaded more than it may. */
  charge(context: object, cost: number): void
}

/** This is thrown if graphql-js has to execute the operation: while it is compiled, or while its answer is written. */
export class NotCompilable extends Error {}

/** `names` are the texts before each field, from the opening brace on. */
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
  // graphql-js refuses a number that is no integer of 32 bits.
  if (type === GraphQLInt) return (value) => (value === (value as number) >> 0 ? `${value}` : serialized(value))
  return serialized
}

/** JSON.stringify escapes quotes, backslashes, control characters, and halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const mayNeedEscapes = /["\\\u0000-\u001f\ud800-\udfff]/

/** Most texts need no escapes. To find that out takes less time than JSON.stringify. */
const quoted = (text: string): string => (mayNeedEscapes.test(text) ? JSON.stringify(text) : `"${text}"`)

/** Caches the text of objects that several requests share. It is kept as long as its object, and each request is charged the same for it. */
export function writtenOnce(write: WriteValue, loads: Loads): WriteValue {
  const texts = rememberedOn<object, { text: string; cost: number }>('text')
  return (source, run) => {
    const known = texts.get(source as object)
    if (known !== undefined) {
      loads.charge(run.context, known.cost)
      return known.text
    }
    const loadedBefore = loads.loadedBy(run.context)
    const text = write(source, run)
    // A text that is written without waiting is charged by nothing else in between.
    const cost = loads.loadedBy(run.context) - loadedBefore
    if (typeof text === 'string') texts.set(source as object, { text: inOnePiece(text), cost })
    return text
  }
}

/** V8 joins a concatenated string when it is first read; this does it once for all readers. */
function inOnePiece(text: string): string {
  text.charCodeAt(0)
  return text
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

async function joined(parts: readonly Text[], rest: string): Promise<string> {
  return (await Promise.all(parts)).join('') + rest
}

/** The answer has failed, so nothing waits for these parts any more. */
function disregard(parts: readonly Text[]): void {
  for (const part of parts) if (typeof part !== 'string') part.catch(() => undefined)
}
