import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  contentOf,
  copyBetween,
  embeddedIn,
  fileAt,
  fill,
  newDynamoDb,
  otherTables,
  temporaryDirectory,
} from './places.ts'

describe.each(['dynalite', 'dynamoDbLocal'] as const)('with %s', (service) => {
  it('every row of all tables comes through all kinds of places and back as it was', async () => {
    const directory = await temporaryDirectory()
    const first = embeddedIn(join(directory, 'first'))
    await fill(join(directory, 'first'), 260)
    const original = await contentOf(first)
    const rows = 260 + otherTables * 26
    expect(original).toHaveLength(rows + 1)

    const places = [
      first,
      fileAt(join(directory, 'backup.jsonl')),
      embeddedIn(join(directory, 'second')),
      await newDynamoDb(service),
      await newDynamoDb(service),
      embeddedIn(join(directory, 'third')),
    ]
    for (const [i, place] of places.slice(1).entries()) {
      expect(await copyBetween(places[i] ?? first, place)).toMatchObject({ rows, written: rows, isResumed: false })
      expect(await contentOf(place)).toEqual(original)
    }
  })
})

it('an empty store is copied too, and one on which no server was started', async () => {
  const directory = await temporaryDirectory()
  for (const [name, deploymentId] of [['empty', 'the one'] as const, ['new', null] as const]) {
    await fill(join(directory, name), 0, { deploymentId })
    await copyBetween(embeddedIn(join(directory, name)), embeddedIn(join(directory, `copy of ${name}`)))
    expect(await contentOf(embeddedIn(join(directory, `copy of ${name}`)))).toEqual([
      `deployment ${deploymentId ?? undefined}`,
    ])
  }
})
