import type { Decision, Key as EngineKey, KeyValue, Outcome, Range } from '../../engine/key-value/key-value.ts'
import { unavailable } from '../../protocol/errors.ts'
import { type Item, type Key, type TableName, tables } from '../rows/tables.ts'

// The stores need this of one table of the key-value engine. Its rows are those of the table of the same name in DynamoDB.

/** As in DynamoDB, a row has its key, and of its columns those that are set. */
type Written<Name extends TableName> = Key<Name> & Partial<Item<Name>>

export interface EmbeddedTable<Name extends TableName> {
  get(key: Key<Name>): Item<Name> | undefined
  /** Returns those that exist, each once, in any order. */
  getMany(keys: readonly Key<Name>[]): Item<Name>[]
  /** Returns the rows with this partition key, in the order of the sort key. */
  query(partition: string, range?: Range): Item<Name>[]
  /** Decides by the row as it stands. Resolves once the outcome is on the disk. */
  update(
    key: Key<Name>,
    decide: (standing: Item<Name> | undefined) => Decision<Written<Name>>,
  ): Promise<Outcome<Item<Name>>>
  /** Resolves before the outcome is on the disk. Nothing may be shown or acknowledged by it alone: it is there once a later write is. */
  updateAhead: EmbeddedTable<Name>['update']
}

/** Returns the function that finds the engine's key in a row of this table, or in a key. */
export function engineKeysOf<Name extends TableName>(name: Name): (key: Key<Name>) => EngineKey {
  const [partition = '', sort] = Object.keys(tables[name].key)
  return (key) => {
    const columns = key as Record<string, string | number>
    return [columns[partition] as string, sort === undefined ? '' : (columns[sort] ?? '')]
  }
}

export function createEmbeddedTable<Name extends TableName>(engine: KeyValue, name: Name): EmbeddedTable<Name> {
  const table = engine.table<Item<Name>>(name)
  const toEngineKey = engineKeysOf(name)
  const get = (key: Key<Name>) => table.get(toEngineKey(key))

  return {
    get,

    getMany(keys) {
      const unique = new Map(keys.map((key) => [toEngineKey(key).join(' '), key]))
      return [...unique.values()].map(get).filter((item) => item !== undefined)
    },

    query: (partitionKey, range) => table.range(partitionKey, range),

    update: (key, decide) => table.update(toEngineKey(key), decide as Decide<Name>).catch(fail),
    updateAhead: (key, decide) => table.updateAhead(toEngineKey(key), decide as Decide<Name>).catch(fail),
  }
}

function fail(error: unknown): never {
  throw unavailable(error)
}

type Decide<Name extends TableName> = (standing: Item<Name> | undefined) => Decision<Item<Name>>
