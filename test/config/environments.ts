import { ConfigError, readConfig } from '../../src/config/config.ts'

export const secret = 'x'.repeat(32)
export const production = {
  NODE_ENV: 'production',
  REDIS_URL: 'redis://cache:6379',
  DYNAMODB_ENDPOINT: 'http://db:8000',
  AUTH_JWT_SECRET: secret,
}

/** Returns the problems that readConfig reports. */
export function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}
