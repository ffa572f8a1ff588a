import { createReadStream } from 'node:fs'
import { type TableName, tableNames } from '../store/rows/tables.ts'
import { CopyError, type Row, type Totals } from './place.ts'

// The file of exports and backups: lines of JSON, each with an end of line.
//
//   {"format":"parley-rows","version":1,"deployment":"<id>"}                    the first line; null if there is no deployment
//   {"table":"messages","row":{"conversation_id":"…","seq":1,…}}                 one per row, table by table
//   {"end":{"messages":{"count":12,"hash":"<hex>"},…}}                          the last line, by which a file that was cut short is noticed

const format = 'parley-rows'
const version = 1

export const firstLine = (deploymentId: string | undefined): string =>
  JSON.stringify({ format, version, deployment: deploymentId ?? null })

export const rowLine = (table: TableName, row: Row): string => JSON.stringify({ table, row })

export const lastLine = (totals: Totals): string => JSON.stringify({ end: totals })

/** Returns the id of the deployment that the first line names. Throws a CopyError if the file is none of ours, or of a later release. */
export function readFirstLine(name: string, text: string | undefined): string | undefined {
  const line = parse(text)
  if (line?.format !== format) throw new CopyError(`${name} is no file of \`parley copy\`.`)
  if (line.version !== version)
    throw new CopyError(`${name} has version ${line.version} of the format, and this release reads version ${version}.`)
  return typeof line.deployment === 'string' ? line.deployment : undefined
}

type Line = { table: TableName; row: Row } | { end: Totals }

/** Reads a line after the first one. */
export function readLine(name: string, text: string, number: number): Line {
  const line = parse(text)
  if (line && isObject(line.end)) return { end: line.end as Totals }
  if (!line || typeof line.table !== 'string' || !isObject(line.row))
    throw new CopyError(`${name} is damaged: line ${number} is no row.`)
  if (!tableNames.includes(line.table as TableName))
    throw new CopyError(`${name} has rows of the table ${line.table}, which this release does not know.`)
  return { table: line.table as TableName, row: line.row as Row }
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isObject(value) ? value : undefined
  } catch {
    // What is no JSON is damaged, and the caller says where.
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const newline = 0x0a

/** Returns the lines of a file, without what comes after the last end of line: it was cut short. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let begun: Buffer[] = []
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString()
      begun = []
      from = end + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
  }
}
