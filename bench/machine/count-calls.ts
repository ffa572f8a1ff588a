/** By operation and table, such as `PutItem parley_messages`. */
export type Calls = Record<string, { calls: number; units: number }>

/** For a DynamoDB server that is a process of its own: it tells its parent what it was asked since the last time. */
export function countCalls(): (name: string, units: number) => void {
  let counted: Calls = {}
  process.on('message', (message: object) => {
    if (!('count' in message)) return
    process.send?.({ calls: counted })
    counted = {}
  })
  return (name, units) => {
    const known = counted[name] ?? { calls: 0, units: 0 }
    counted[name] = { calls: known.calls + 1, units: known.units + units }
  }
}
