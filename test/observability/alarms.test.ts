import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { promtool } from '../kit/services/promtool.ts'
import type { AlarmCase, Scraped } from './alarms/alarm-case.ts'
import { backendAlarms } from './alarms/backends.ts'
import { nodeAlarms } from './alarms/nodes.ts'
import { trafficAlarms } from './alarms/traffic.ts'
import { workAlarms } from './alarms/work.ts'

type Rule = { alert: string; labels: Record<string, string>; annotations: { runbook_url: string } }

const rulesFile = fileURLToPath(new URL('../../deploy/prometheus/alerts.yml', import.meta.url))
const { groups } = parse(await readFile(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const cases: Record<string, AlarmCase> = { ...nodeAlarms, ...trafficAlarms, ...backendAlarms, ...workAlarms }

const test = (name: string, scraped: Scraped, checks: object) => ({
  name,
  interval: '1m',
  input_series: Object.entries(scraped).map(([series, values]) => ({ series, values })),
  ...checks,
})

function tests({ alert, labels, annotations: { runbook_url } }: Rule, { fires, silent }: AlarmCase) {
  const expected = { exp_labels: { ...labels, ...fires.labels }, exp_annotations: { summary: fires.says, runbook_url } }
  const fired = `max_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[1d])`
  const never = { expr: fired, eval_time: `${minutes(silent.scraped)}m`, exp_samples: [] }
  return [
    test(`${alert} fires`, fires.scraped, {
      alert_rule_test: [
        { alertname: alert, eval_time: `${fires.at - 1}m`, exp_alerts: [] },
        { alertname: alert, eval_time: `${fires.at}m`, exp_alerts: [expected] },
        ...(fires.until === undefined
          ? []
          : [
              { alertname: alert, eval_time: `${fires.until}m`, exp_alerts: [expected] },
              { alertname: alert, eval_time: `${fires.until + 1}m`, exp_alerts: [] },
            ]),
      ],
    }),
    test(`${alert} is silent: ${silent.when}`, silent.scraped, { promql_expr_test: [never] }),
  ]
}

/** `1x3 0` is five values, and ends with the fourth minute. */
const minutes = (scraped: Scraped): number =>
  Math.min(
    ...Object.values(scraped).map((values) =>
      values.split(' ').reduce((sum, each) => sum + 1 + Number(/x(\d+)$/.exec(each)?.[1] ?? 0), -1),
    ),
  )

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-alarms-'))
})
afterAll(() => rm(dir, { recursive: true }))

describe('the alarms', () => {
  it('each have a case in which they fire, and one in which they stay silent', () => {
    expect(Object.keys(cases).sort()).toEqual(rules.map(({ alert }) => alert).sort())
  })

  it('do so in Prometheus', async () => {
    const all = rules.flatMap((rule) => tests(rule, cases[rule.alert] ?? expect.fail()))
    const file = join(dir, 'tests.yml')
    await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests: all }))
    const { status, said } = await promtool('test', 'rules', file)
    expect(said).toContain('SUCCESS')
    expect(status).toBe(0)
  })

  it('lead to the place in the docs that is about them', async () => {
    const docs = await readFile(new URL('../../docs/alarms.md', import.meta.url), 'utf8')
    const headings = [...docs.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading)
    expect(headings).toEqual(rules.map(({ alert }) => alert))
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`docs/alarms.md#${alert.toLowerCase()}`)
    }
  })
})

describe('the dashboard', () => {
  it('has queries that Prometheus understands', async () => {
    const shipped = await readFile(new URL('../../deploy/grafana/dashboard.json', import.meta.url), 'utf8')
    const { panels } = JSON.parse(shipped) as { panels: { targets?: { expr: string }[] }[] }
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const recorded = queries.map((expr, i) => ({
      record: `query_${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$node', '.*'),
    }))
    const file = join(dir, 'dashboard.yml')
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }))
    const { status, said } = await promtool('check', 'rules', file)
    expect(said).toContain(`${queries.length} rules found`)
    expect(status).toBe(0)
  })
})

describe('deploy/prometheus.yml', () => {
  it('is as Prometheus wants it', async () => {
    const shipped = await readFile(new URL('../../deploy/prometheus.yml', import.meta.url), 'utf8')
    const file = join(dir, 'prometheus.yml')
    await writeFile(file, shipped.replace('/etc/prometheus/rules/*.yml', rulesFile))
    const { status, said } = await promtool('check', 'config', file)
    expect(said).toContain(`${rules.length} rules found`)
    expect(status).toBe(0)
  })
})
