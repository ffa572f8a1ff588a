import type { RedisLink } from '../../engine/redis/client.ts'

/** A script of so many keys takes Redis less than a millisecond. */
const batchMax = 512

/**
 * Makes a script that treats all its keys alike and returns one value for each. One Redis is asked for many keys at a time. In a cluster a script
 * may only touch keys of one slot, so it is asked for each key by itself.
 *
 * The number of keys is part of a script, so batches have few sizes: powers of two. A smaller batch repeats its last key, and what is returned
 * for the repetitions is dropped.
 */
export function createBatchScript(link: RedisLink, lua: string) {
  const scripts = new Map<number, ReturnType<RedisLink['script']>>()
  const atATime = link.isCluster ? 1 : batchMax

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

  return async function run(keys: readonly string[], args: readonly (string | number)[] = []): Promise<unknown[]> {
    const batches: Promise<readonly unknown[]>[] = []
    for (let i = 0; i < keys.length; i += atATime) batches.push(runOne(keys.slice(i, i + atATime), args))
    return (await Promise.all(batches)).flat()
  }
}
