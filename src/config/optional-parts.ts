// Packages that only some settings need, and that need not be installed where these are not used. They are optional peer dependencies of
// this package; scripts/image-parts.mjs puts them into an image.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ConfigError } from './config.ts'
import type { CompleteConfig } from './dev-secrets.ts'

export const optionalParts = {
  aws: ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'],
  push: ['web-push'],
  tracing: [
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-base',
  ],
  graphiql: ['@graphql-yoga/render-graphiql'],
} as const

export type OptionalPart = keyof typeof optionalParts

type Stores = Pick<CompleteConfig, 'dynamodb' | 'dynamodbClient'>
type IsInstalled = (name: string) => boolean

/**
 * Throws if a setting needs a package that is not installed, with what to install. What development mode has of itself is left out instead: GraphiQL,
 * and push to browsers.
 */
export function withInstalledParts(
  config: CompleteConfig,
  warn: (text: string) => void,
  isInstalled: IsInstalled = isThere,
): CompleteConfig {
  const lacks = (part: OptionalPart) => missingOf(part, isInstalled).length > 0
  const left = { ...config, push: { ...config.push } }
  if (config.development && config.graphiql && lacks('graphiql')) {
    left.graphiql = false
    warn(`There is no GraphiQL: it ${needs('graphiql', isInstalled)}`)
  }
  if (left.push.vapid === 'derived' && lacks('push')) {
    delete left.push.vapid
    warn(`There is no push to browsers: it ${needs('push', isInstalled)}`)
  }
  const { media, graphiql, push, tracing } = left
  assertInstalled(
    [
      ...storeParts(config),
      ...(typeof media === 'object' ? [['aws', 'S3_BUCKET'] as const] : []),
      ...(push.vapid ? [['push', 'VAPID_PUBLIC_KEY'] as const] : []),
      ...(tracing ? [['tracing', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const] : []),
      ...(graphiql ? [['graphiql', 'GRAPHIQL'] as const] : []),
    ],
    isInstalled,
  )
  return left
}

/** Throws if the tables cannot be reached without a package that is not installed. */
export function assertStoreParts(stores: Stores, isInstalled: IsInstalled = isThere): void {
  assertInstalled(storeParts(stores), isInstalled)
}

/** Against another endpoint than the service's own, the lean client needs nothing of the SDK. */
function storeParts({ dynamodb, dynamodbClient }: Stores): (readonly [OptionalPart, string])[] {
  if (dynamodb === 'embedded') return []
  if ('service' in dynamodb) return [['aws', 'DYNAMODB_ENDPOINT=aws']]
  return dynamodbClient === 'sdk' ? [['aws', 'DYNAMODB_CLIENT=sdk']] : []
}

function assertInstalled(wanted: readonly (readonly [OptionalPart, string])[], isInstalled: IsInstalled): void {
  const problems = wanted.flatMap(([part, setting]) =>
    missingOf(part, isInstalled).length > 0 ? [`${setting} ${needs(part, isInstalled)}`] : [],
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

const missingOf = (part: OptionalPart, isInstalled: IsInstalled) =>
  optionalParts[part].filter((name) => !isInstalled(name))

function needs(part: OptionalPart, isInstalled: IsInstalled): string {
  const { peerDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    peerDependencies: Record<string, string>
  }
  const packages = missingOf(part, isInstalled).map((name) => `${name}@${peerDependencies[name]}`)
  return `needs packages that are not installed: npm install ${packages.join(' ')}, or an image that was built with --build-arg PARTS=${part}`
}

/** Looks for its folder and loads nothing. */
const isThere: IsInstalled = (name) =>
  (createRequire(import.meta.url).resolve.paths(name) ?? []).some((folder) =>
    existsSync(join(folder, name, 'package.json')),
  )
