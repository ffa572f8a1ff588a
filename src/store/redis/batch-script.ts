import type { RedisLink } from '../../engine/redis/client.ts'

/** A script of so many keys takes Redis less than a millisecond. */
const batchMax = 512

/** A glance returns this for a key that has to be asked for by itself. */
export const alone = '?'

type Run = (keys: readonly string[], args?: readonly (string | number)[]) => Promise<unknown[]>

/**
 * Makes a script that treats all its keys alike and returns one value for each. One Redis is asked for many keys at a time. In a cluster a script
 * may only touch keys of one slot, so it is asked for each key by itself, unless there is a `glanceLua`.
 *
 * `glanceLua` is a script that only reads, see `glanceAt`. A master is asked by it for all its keys at once, in whatever slots they are. It does
 * not name them as keys: Redis lets a script read what it has not named, in any slot of its own. Where the slot has moved to another master, or is
 * about to, Redis refuses to read the key, and the key is asked for by itself.
 *
 * The number of keys is part of a script, so batches have few sizes: powers of two. A smaller batch repeats its last key, and what is returned
 * for the repetitions is dropped.
 */
export function createBatchScript(link: RedisLink, lua: string, glanceLua?: string): Run {
  const scripts = new Map<number, ReturnType<RedisLink['script']>>()
  const atATime = link.isCluster ? 1 : batchMax
  const glance = link.isCluster && glanceLua !== undefined ? link.script(glanceLua, 1) : undefined

  function scriptOf(size: number) {
    const script = scripts.get(size) ?? link.script(lua, size)
    scripts.set(size, script)
    return script
  }

  async function runOne(keys: readonly string[], args: readonly (string | number)[]): Promise<readonly unknown[]> {
    const size = 2 ** Math.ceil(Math.log2(keys.length))
    const padded = Array.from({ length: size }, (_, i) => keys[Math.min(i, keys.length - 1)] as string)
    return ((await scriptOf(size)(padded, args)) as unknown[]).slice(0, keys.length)
  }

  const run: Run = async (keys, args = []) => {
    const batches = chunksOf(keys, atATime).map((some) => runOne(some, args))
    return (await Promise.all(batches)).flat()
  }

  if (!glance) return run

  return async (keys, args) => {
    const values = new Map<string, unknown>()
    const glances = keysByMaster(link, keys).flatMap((ofMaster) => chunksOf(ofMaster, batchMax))
    await Promise.all(
      glances.map(async (some) => {
        if (some.length === 1) return void values.set(some[0] as string, alone)
        const found = (await glance(some.slice(0, 1), some)) as unknown[]
        for (const [i, key] of some.entries()) values.set(key, found[i])
      }),
    )
    const left = keys.filter((key) => values.get(key) === alone)
    const asked = await run(left, args)
    for (const [i, key] of left.entries()) values.set(key, asked[i])
    return keys.map((key) => values.get(key))
  }
}

/**
 * Makes a script that glances at the strings of many slots. `valueLua` is what it returns for `value`, which is nil where there is none.
 *
 * ARGV string   the keys; the first of them is KEYS[1], which says what master is asked
 */
export const glanceAt = (prelude: string, valueLua: string): string => `${prelude}
local values = {}
for i, key in ipairs(ARGV) do
  local value = redis.pcall('GET', key)
  if type(value) == 'table' then
    values[i] = '${alone}'
  else
    values[i] = ${valueLua}
  end
end
return values
`

function keysByMaster(link: RedisLink, keys: readonly string[]): string[][] {
  const byMaster = new Map<string, string[]>()
  for (const key of keys) {
    const master = link.masterOf(key)
    const ofMaster = byMaster.get(master)
    if (ofMaster) ofMaster.push(key)
    else byMaster.set(master, [key])
  }
  return [...byMaster.values()]
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let i = 0; i < all.length; i += size) chunks.push(all.slice(i, i + size))
  return chunks
}
