import { spawnSync } from 'node:child_process'
import { sharedService } from '../shared-services.ts'

/**
 * DynamoDB Local needs Java. `npm test` makes sure that it is installed. A run of single files without Java uses dynalite alone, and says so.
 */
export const hasJava = spawnSync('sh', ['-c', 'command -v java']).status === 0
if (!hasJava) console.warn('Java is not installed: nothing is tested on DynamoDB Local.')

/** The servers that answer as DynamoDB does. */
export const dynamoBackends: { name: string; endpointOf: () => Promise<string> }[] = [
  { name: 'dynalite', endpointOf: () => sharedService('dynalite') },
  ...(hasJava ? [{ name: 'DynamoDB Local', endpointOf: () => sharedService('dynamoDbLocal') }] : []),
]
