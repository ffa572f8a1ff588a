import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SmallMap } from '../../src/shared/small-map.ts'

const keys = fc.constantFrom('a', 'b', 'c', '')
const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constantFrom('set' as const, 'delete' as const), key: keys }),
    fc.record({ does: fc.constant('clear' as const), key: keys }),
  ),
  { maxLength: 30 },
)

it('is a Map, whatever is done to it', () => {
  fc.assert(
    fc.property(steps, (done) => {
      const [small, map] = [new SmallMap<string, { n: number }>(), new Map<string, { n: number }>()]
      for (const [n, { does, key }] of done.entries()) {
        if (does === 'clear') {
          small.clear()
          map.clear()
        } else if (does === 'set') {
          small.set(key, { n })
          map.set(key, { n })
        } else expect(small.delete(key)).toBe(map.delete(key))
        expect([...small]).toEqual([...map])
        for (const each of ['a', 'b', 'c', '']) {
          expect(small.get(each)).toEqual(map.get(each))
          expect(small.has(each)).toBe(map.has(each))
        }
      }
    }),
  )
})
