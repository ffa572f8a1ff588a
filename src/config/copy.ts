import { type Config, ConfigError, describeIssue, withoutBlanks } from './config.ts'
import { dynamodbOf, storageVariables } from './storage.ts'
import type { Environment } from './variable-rules.ts'

/** What `parley copy` reads of the environment: the variables of the server that say where DynamoDB is. */
export type CopySettings = Pick<Config, 'dynamodb' | 'dynamodbClient' | 'tables'>

const variables = storageVariables.pick({
  DYNAMODB_ENDPOINT: true,
  DYNAMODB_CLIENT: true,
  AWS_REGION: true,
  TABLE_PREFIX: true,
  CREATE_TABLES: true,
})

export function readCopySettings(environment: Environment = process.env): CopySettings {
  const given = withoutBlanks(environment)
  const read = variables.safeParse(given)
  const problems = (read.error?.issues ?? []).map(describeIssue)
  if (given.DYNAMODB_ENDPOINT === 'aws' && given.AWS_REGION === undefined)
    problems.push('AWS_REGION is missing: DYNAMODB_ENDPOINT is aws')
  if (!read.success || problems.length > 0) throw new ConfigError(problems)
  return {
    dynamodb: dynamodbOf(read.data),
    dynamodbClient: read.data.DYNAMODB_CLIENT,
    tables: { prefix: read.data.TABLE_PREFIX, create: read.data.CREATE_TABLES ?? false },
  }
}

export const isTablePrefix = (text: string): boolean => storageVariables.shape.TABLE_PREFIX.safeParse(text).success
