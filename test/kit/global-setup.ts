import type { TestProject } from 'vitest/node'
import { startDynalite, startDynamoDbLocal } from './services/dynamodb.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    dynaliteEndpoint: string
    dynamoDbLocalEndpoint: string
  }
}

/** Starts the two DynamoDBs once per run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [dynalite, dynamoDbLocal] = await Promise.all([startDynalite(), startDynamoDbLocal()])
  project.provide('dynaliteEndpoint', dynalite.endpoint)
  project.provide('dynamoDbLocalEndpoint', dynamoDbLocal.endpoint)
  return async () => {
    await Promise.all([dynalite.stop(), dynamoDbLocal.stop()])
  }
}
