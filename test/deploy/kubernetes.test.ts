import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import { complaintsOfTypes, manifests as every, type Labels, type Manifest, validate } from './manifests.ts'
import { settings } from './settings.ts'

type Probe = { httpGet: { path: string; port: string }; periodSeconds: number; failureThreshold: number }
type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef: { key: string } } }
type Node = {
  ports: { name: string; containerPort: number }[]
  env: Variable[]
  securityContext: { readOnlyRootFilesystem: boolean }
} & Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', Probe>

type Selector = { matchLabels: Labels }
type Specs = {
  ServiceAccount: never
  Deployment: {
    selector: Selector
    template: {
      metadata: { labels: Labels }
      spec: { serviceAccountName: string; terminationGracePeriodSeconds: number; containers: [Node] }
    }
  }
  Service: { selector: Labels; ports: { name: string; targetPort: string }[] }
  PodDisruptionBudget: { selector: Selector; maxUnavailable: number }
  HorizontalPodAutoscaler: {
    scaleTargetRef: { kind: string; name: string }
    minReplicas: number
    metrics: { pods?: { metric: { name: string } } }[]
  }
  ServiceMonitor: { selector: Selector; endpoints: { port: string; path: string }[] }
}

function find<K extends keyof Specs>(kind: K): Manifest & { spec: Specs[K] } {
  const [found, ...others] = every.filter((each) => each.kind === kind)
  expect([kind, found !== undefined, others.length]).toEqual([kind, true, 0])
  return found as Manifest & { spec: Specs[K] }
}

const deployment = find('Deployment')
const pod = deployment.spec.template
const [node] = pod.spec.containers
const service = find('Service')

describe('the manifests of Kubernetes', () => {
  test('are what their schemas say, and have no other fields', async () => {
    for (const manifest of every) await validate(manifest)
    const wrong = { ...service, spec: { ...service.spec, ports: [{ port: 'eighty' }] } }
    await expect(validate(wrong)).rejects.toThrow('/spec/ports/0/port')
    const misspelt = { ...service, spec: { ...service.spec, selectors: {} } }
    const complaints = complaintsOfTypes([...every, misspelt])
    expect(complaints.pop()).toEqual([expect.stringContaining('selectors')])
    expect(complaints.flat()).toEqual([])
  })

  test('set what a node reads, and enough for it to start and to drain', () => {
    const given = node.env.map(({ name, value, valueFrom }) => [
      name,
      value ?? secrets[valueFrom?.secretKeyRef.key ?? ''],
    ])
    expect(given.filter(([name = '', value]) => !settings.has(name) || value === undefined)).toEqual([])
    const config = readConfig({ ...setByImage(), ...Object.fromEntries(given) })
    expect(config).toMatchObject({ production: true, host: '0.0.0.0', port: node.ports[0]?.containerPort })
    // "Starting and stopping" in docs/operations.md says how long it takes at most.
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(config.drainDelayMs / 1000 + 6.5)
    // Kubernetes believes the readiness probe after so many answers, and its proxies hear of it a little later.
    const { periodSeconds, failureThreshold } = node.readinessProbe
    expect(config.drainDelayMs / 1000).toBeGreaterThanOrEqual(periodSeconds * failureThreshold)
    expect(node.securityContext.readOnlyRootFilesystem && config.media !== 'disk').toBe(true)
  })

  test('probe what a node answers: that it lives, and that it is ready', () => {
    const paths = [node.startupProbe, node.livenessProbe, node.readinessProbe].map(({ httpGet }) => httpGet)
    const port = node.ports[0]?.name
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port })))
  })

  test('all mean the same nodes, and their ports', () => {
    const { labels } = pod.metadata
    for (const { metadata } of every) expect(metadata).toMatchObject({ name: 'parley', labels })
    const { selector } = find('PodDisruptionBudget').spec
    const monitor = find('ServiceMonitor').spec
    for (const { matchLabels } of [deployment.spec.selector, selector, monitor.selector])
      expect(matchLabels).toEqual(labels)
    expect(service.spec.selector).toEqual(labels)
    const [port] = service.spec.ports
    expect(port?.targetPort).toBe(node.ports[0]?.name)
    expect(monitor.endpoints).toMatchObject([{ port: port?.name, path: '/metrics' }])
    expect(pod.spec.serviceAccountName).toBe(find('ServiceAccount').metadata.name)
  })

  test('are scaled by a metric that nodes have, and never down to where a machine cannot be emptied', () => {
    const { scaleTargetRef, minReplicas, metrics } = find('HorizontalPodAutoscaler').spec
    expect(scaleTargetRef).toMatchObject({ kind: 'Deployment', name: deployment.metadata.name })
    const registry = new Registry()
    createMetrics(registry)
    const names = metrics.flatMap(({ pods }) => pods?.metric.name ?? [])
    expect(names.map((name) => [name, registry.getSingleMetric(name) !== undefined])).toEqual([
      ['parley_sockets', true],
    ])
    expect(minReplicas).toBeGreaterThan(find('PodDisruptionBudget').spec.maxUnavailable)
  })
})

const secrets: Record<string, string> = {
  REDIS_URL: 'redis://cache:6379',
  AUTH_JWT_SECRET: 'x'.repeat(32),
  CURSOR_SECRET: 'y'.repeat(32),
}

function setByImage(): Record<string, string> {
  const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8').replaceAll('\\\n', ' ')
  const [, variables = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? []
  return Object.fromEntries(variables.split(/ +/).map((each) => each.split('=', 2) as [string, string]))
}
