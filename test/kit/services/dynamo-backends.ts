import { spawnSync } from 'node:child_process'
import { sharedService } from '../shared-services.ts'

/**
 * DynamoDB Local needs Java. `npm test` sees to it that it is installed; whoever runs a few files without it runs them on dynalite
 * alone, and is told.
 */
export const hasJava = spawnSync('sh', ['-c', 'command -v java']).status === 0
if (!hasJava) console.warn('Java is not installed: nothing is tested on DynamoDB Local.')

/** What answers as DynamoDB does. */
export const dynamoBackends: { name: string; endpointOf: () => Promise<string> }[] = [
  { name: 'dynalite', endpointOf: () => sharedService('dynalite') },
  ...(hasJava ? [{ name: 'DynamoDB Local', endpointOf: () => sharedService('dynamoDbLocal') }] : []),
]
