import type { TableName } from '../store/rows/tables.ts'

// What a copy needs of a place that has rows, and of one that gets them. There are three kinds: the embedded store of a data directory,
// the tables in DynamoDB, and a file.
//
// Two rows are never among those that are read and written: users "#deployment" and "#copy". They say what the tables are (deployment.ts).

/** A row is the same object in every place: its key, and of its columns those that are set. */
export type Row = Readonly<Record<string, unknown>>
export type Batch = { table: TableName; rows: readonly Row[] }

export interface Readable {
  /** Shows the place to the operator. */
  readonly name: string
  /** All rows, table by table. Each call begins anew. */
  batches(): AsyncIterable<Batch>
  close(): Promise<void>
}

export interface Source extends Readable {
  /** Undefined if no server has ever been started on these rows. */
  readonly deploymentId: string | undefined
  /** Returns those of the rows whose key is not there any more. A place that never changes, or that cannot look up a key, does not have it. */
  findMissing?(batch: Batch): Promise<Row[]>
}

export interface Target extends Readable {
  /** Throws a CopyError if rows of this deployment must not be copied here. Returns whether an earlier copy of it goes on. */
  begin(deploymentId: string | undefined): Promise<{ isResumed: boolean }>
  /** Returns how many of the rows were not there yet. */
  write(batch: Batch): Promise<number>
  /** A place that never has rows which the source does not have any more does not have it. */
  remove?(batch: Batch): Promise<void>
  /** Makes the copy a complete one. */
  complete(deploymentId: string | undefined, totals: Totals): Promise<void>
}

export type Totals = Record<TableName, { count: number; hash: string }>

/** Is told how many rows were read of a file, copied, or compared so far. */
export type Progress = (step: 'read' | 'copied' | 'compared', table: TableName, rows: number) => void

/** Tells the operator in one line why the copy was not begun, or has failed. */
export class CopyError extends Error {}
