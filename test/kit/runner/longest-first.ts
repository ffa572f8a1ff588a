import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take longest, in the order in which they start. Vitest begins with the largest files, and a long one that begins last leaves
 * the other cores idle.
 */
const longest = [
  'test/packages/',
  'test/simulation/',
  'test/demo/',
  'test/chaos/chaos',
  'test/process/',
  'test/store/store-contract',
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.findIndex((part) => moduleId.includes(`/${part}`))
  return rank === -1 ? longest.length : rank
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
