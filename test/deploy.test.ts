import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as sdk from '@aws-sdk/client-dynamodb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import {
  cloudFormationTemplate,
  objectActions,
  tableActions,
  terraformConfiguration,
} from '../scripts/table-templates.ts'
import { validateTables } from '../src/store/dynamo/table-setup.ts'
import { tableNames } from '../src/store/rows/tables.ts'
import { settings } from './deploy/settings.ts'
import { hasJava } from './kit/services/dynamo-backends.ts'
import { connectDynamo } from './kit/services/dynamodb.ts'
import { sharedService } from './kit/shared-services.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

describe('the templates of the tables', () => {
  test('are committed as they are: npm run tables writes them anew', () => {
    expect(read('deploy/tables.cloudformation.json')).toBe(`${JSON.stringify(cloudFormationTemplate(), null, 2)}\n`)
    expect(read('deploy/tables.tf.json')).toBe(`${JSON.stringify(terraformConfiguration(), null, 2)}\n`)
  })

  test.skipIf(!hasJava)('CloudFormation makes the tables a node looks for', async () => {
    const { Resources } = JSON.parse(read('deploy/tables.cloudformation.json')) as {
      Resources: Record<string, { Type: string; Properties: sdk.CreateTableCommandInput & { TableName: object } }>
    }
    const found = Object.values(Resources).filter(({ Type }) => Type === 'AWS::DynamoDB::Table')
    expect(found).toHaveLength(tableNames.length)
    await makesWhatNodesNeed(
      found.map(({ Properties: { TableName, KeySchema, AttributeDefinitions, BillingMode } }) => ({
        TableName: (TableName as { 'Fn::Sub': string })['Fn::Sub'].replace(/^\$\{TablePrefix\}/, ''),
        KeySchema,
        AttributeDefinitions,
        BillingMode,
      })),
    )
  })

  test.skipIf(!hasJava)('so does Terraform', async () => {
    type Table = {
      name: string
      billing_mode: 'PAY_PER_REQUEST'
      hash_key: string
      range_key?: string
      attribute: { name: string; type: 'S' | 'N' }[]
    }
    const { resource } = JSON.parse(read('deploy/tables.tf.json')) as {
      resource: { aws_dynamodb_table: Record<string, Table> }
    }
    const found = Object.values(resource.aws_dynamodb_table)
    expect(found).toHaveLength(tableNames.length)
    await makesWhatNodesNeed(
      found.map(({ name, billing_mode, hash_key, range_key, attribute }) => ({
        TableName: name.replace(/^\$\{var\.table_prefix\}/, ''),
        BillingMode: billing_mode,
        KeySchema: [
          { AttributeName: hash_key, KeyType: 'HASH' },
          ...(range_key === undefined ? [] : [{ AttributeName: range_key, KeyType: 'RANGE' as const }]),
        ],
        AttributeDefinitions: attribute.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
      })),
    )
  })

  test('each can be brought back, and none is deleted by mistake', () => {
    const { Resources } = cloudFormationTemplate()
    for (const resource of Object.values(Resources)) {
      if (resource.Type !== 'AWS::DynamoDB::Table') continue
      expect(resource).toMatchObject({
        DeletionPolicy: 'Retain',
        Properties: {
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: true,
        },
      })
    }
    for (const table of Object.values(terraformConfiguration().resource.aws_dynamodb_table)) {
      expect(table).toMatchObject({ point_in_time_recovery: { enabled: true }, deletion_protection_enabled: true })
    }
  })

  test('only claims, the feed, bans that are over and what webhooks did not take may expire, by the column that says when', () => {
    const { Resources } = cloudFormationTemplate()
    const ofCloudFormation = Object.entries(Resources).flatMap(([name, { Properties }]) =>
      'TimeToLiveSpecification' in Properties ? [[name, Properties.TimeToLiveSpecification]] : [],
    )
    const enabled = { AttributeName: 'expires_at_s', Enabled: true }
    expect(ofCloudFormation).toEqual([
      ['SendsTable', enabled],
      ['FeedTable', enabled],
      ['RestrictionsTable', enabled],
      ['WebhookFailuresTable', enabled],
    ])
    const ofTerraform = Object.entries(terraformConfiguration().resource.aws_dynamodb_table).flatMap(([name, table]) =>
      'ttl' in table ? [[name, table.ttl]] : [],
    )
    const on = { attribute_name: 'expires_at_s', enabled: true }
    expect(ofTerraform).toEqual([
      ['sends', on],
      ['feed', on],
      ['restrictions', on],
      ['webhook_failures', on],
    ])
  })

  test('the docs turn on again, for a restored table, what the templates say', () => {
    const [, names = ''] = /^for name in (.+); do$/m.exec(read('docs/operations.md')) ?? []
    const { aws_dynamodb_table } = terraformConfiguration().resource
    const expiring = Object.entries(aws_dynamodb_table).filter(([, table]) => 'ttl' in table)
    expect(names.split(' ')).toEqual(expiring.map(([name]) => name))
  })

  test('nodes may do what the code does, and nothing else', () => {
    const store = ['src/store/dynamo', 'src/engine/dynamodb'].flatMap((room) =>
      readdirSync(new URL(`../${room}`, import.meta.url)).map((name) => read(`${room}/${name}`)),
    )
    const isAction = (word: string) => `${word}Command` in sdk
    const words = store.flatMap((text) => [...text.matchAll(/'([A-Z]\w+)'/g)].map(([, word = '']) => word))
    expect([...tableActions, 'CreateTable'].sort()).toEqual([...new Set(words.filter(isAction))].sort())
    const s3 = ['s3.ts', 'results-s3.ts'].map((name) => read(`src/store/media/${name}`)).join('')
    // Beginning, writing and ending an upload in parts are PutObject; only to give one up is a right of its own.
    const commands = [...s3.matchAll(/new ((?:Get|Put|Delete)Object|AbortMultipartUpload)Command/g)]
    expect(objectActions).toEqual([...new Set(commands.map(([, action]) => action))].sort())
  })
})

async function makesWhatNodesNeed(made: (sdk.CreateTableCommandInput & { TableName: string })[]): Promise<void> {
  const endpoint = await sharedService('dynamoDbLocal')
  const dynamo = connectDynamo(endpoint)
  const client = new sdk.DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  })
  for (const table of made) {
    await client.send(new sdk.CreateTableCommand({ ...table, TableName: `${dynamo.tablePrefix}${table.TableName}` }))
  }
  await expect(validateTables(dynamo)).resolves.toBeUndefined()
  client.destroy()
  dynamo.client.close()
}

describe('the compose file', () => {
  type Service = {
    image?: string
    environment?: Record<string, string>
    volumes?: string[]
    depends_on?: Record<string, { condition: string }>
    healthcheck?: object
    stop_grace_period?: string
  }
  const { services, volumes } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
    volumes: Record<string, unknown>
  }
  const nodes = Object.entries(services).filter(([name]) => name.startsWith('node-'))

  test('runs two nodes with settings that exist', () => {
    expect(nodes.map(([name]) => name)).toEqual(['node-a', 'node-b'])
    for (const [, { environment = {} }] of nodes) {
      expect(Object.keys(environment).filter((name) => !settings.has(name))).toEqual([])
      expect(Object.keys(environment)).toEqual(
        expect.arrayContaining(['REDIS_URL', 'DYNAMODB_ENDPOINT', 'AUTH_JWT_SECRET']),
      )
    }
  })

  test('gives a node more time to stop than it takes', () => {
    for (const [, { stop_grace_period = '0' }] of nodes) {
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(10)
    }
  })

  test('waits for what can be waited for, and names what exists', () => {
    const dockerfile = read('Dockerfile')
    for (const { depends_on = {}, volumes: mounted = [] } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        expect(condition).toBe('service_healthy')
        const isChecked = services[name]?.healthcheck !== undefined || dockerfile.includes('HEALTHCHECK')
        expect([name, isChecked && name in services]).toEqual([name, true])
      }
      for (const [source = ''] of mounted.map((volume) => volume.split(':'))) {
        const exists = source.startsWith('.')
          ? existsSync(new URL(`../deploy/${source}`, import.meta.url))
          : source in volumes
        expect([source, exists]).toEqual([source, true])
      }
    }
  })

  test('Prometheus tells its Alertmanager', () => {
    const { alerting } = parse(read('deploy/prometheus.yml')) as {
      alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] }
    }
    const targets = alerting.alertmanagers.flatMap(({ static_configs }) =>
      static_configs.flatMap((each) => each.targets),
    )
    expect(targets).toEqual(['alertmanager:9093'])
    expect(services.alertmanager?.volumes).toEqual(['./alertmanager.yml:/etc/alertmanager/alertmanager.yml:ro'])
  })

  test('the load balancer and Prometheus know the same nodes', () => {
    const servers = [...read('deploy/nginx.conf').matchAll(/^ +server (\S+):4000 .*?( backup)?;$/gm)]
    const inNginx = servers.flatMap(([, name, backup]) => (backup ? [] : [name]))
    // Each is there once more, for when nginx has left all of them out.
    expect(servers.flatMap(([, name, backup]) => (backup ? [name] : []))).toEqual(inNginx)
    const { scrape_configs } = parse(read('deploy/prometheus.yml')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[]
    }
    const inPrometheus = scrape_configs.flatMap(({ static_configs }) =>
      static_configs.flatMap(({ targets }) => targets),
    )
    const names = nodes.map(([name]) => name)
    expect(inNginx).toEqual(names)
    expect(inPrometheus).toEqual(names.map((name) => `${name}:4000`))
  })
})

describe('the units of systemd', () => {
  const unit = read('deploy/systemd/parley@.service')
  const valuesOf = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)

  test('start what npm start does, once for each port, and leave it the time to drain', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    expect(valuesOf('ExecStart').map((command) => command.replace('/usr/bin/', 'exec '))).toEqual([scripts.start])
    expect(valuesOf('Environment')).toEqual(['NODE_ENV=production PORT=%i'])
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(9.5)
    expect(valuesOf('WantedBy').concat(valuesOf('PartOf'))).toEqual(['parley.target', 'parley.target'])
    expect(existsSync(new URL('../deploy/systemd/parley.target', import.meta.url))).toBe(true)
  })

  test('are what systemd understands, in every line', () => {
    expect(complaintsOfSystemd(unit)).toBe('')
    const mistakes = unit.replace('RestartSec=1', 'RestartSecs=1').replace('TimeoutStopSec=15', 'TimeoutStopSec=soon')
    expect(complaintsOfSystemd(mistakes)).toMatch(/Unknown key( name)? 'RestartSecs'[\s\S]*time value[\s\S]*soon/)
  })
})

/** As it would be on a machine where Node is at the place of ours. */
function complaintsOfSystemd(unit: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-systemd-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'parley@4000.service'), unit.replace('/usr/bin/node', process.execPath))
  writeFileSync(join(dir, 'parley.target'), read('deploy/systemd/parley.target'))
  const units = ['./parley@4000.service', './parley.target']
  const { error, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], {
    cwd: dir,
    encoding: 'utf8',
  })
  if (error) throw error
  return stderr
}

describe('the Dockerfile', () => {
  test('has nothing its linter minds', () => {
    const linter = fileURLToPath(import.meta.resolve('dockerfilelint/bin/dockerfilelint'))
    const { status, stdout } = spawnSync(process.execPath, [linter, 'Dockerfile'], { cwd: root, encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, expect.stringContaining('None found')])
  })

  const lines = read('Dockerfile').replaceAll('\\\n', ' ').split('\n')
  const all = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))

  test('runs scripts that exist, on a Node that is good enough', () => {
    const { scripts, engines } = JSON.parse(read('package.json')) as {
      scripts: Record<string, string>
      engines: { node: string }
    }
    const called = lines.flatMap((line) => [...line.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name))
    expect(called).toEqual(['build'])
    for (const name of called) expect(scripts).toHaveProperty(name)
    const wanted = Number(/(\d+\.\d+)/.exec(engines.node)?.[1])
    const [build = '', image] = all('FROM')
    expect(build).toBe(`${image} AS build`)
    const version = /^node:(\d+\.\d+)\.\d+-bookworm-slim@sha256:[\da-f]{64} /.exec(build)?.[1]
    expect(Number(version)).toBeGreaterThanOrEqual(wanted)
  })

  test('makes an image of at most 80 packages, unless it is asked for optional parts', () => {
    type Locked = { dev?: boolean; devOptional?: boolean; optional?: boolean; os?: string[] }
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
    const isForClient = (path: string) =>
      path === '' || path.endsWith('packages/client') || path.endsWith('@parley/client')
    const installed = Object.entries(packages).filter(
      ([path, { dev, devOptional, optional, os }]) => !isForClient(path) && !dev && !devOptional && !(optional && os),
    )
    // lmdb and its codec bring one prebuilt package each, for the system they are on.
    expect(installed.length + 2).toBeLessThanOrEqual(80)
  })

  test('starts what npm start does, as itself: signals reach it, and it is not root', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    expect(`exec ${(JSON.parse(all('CMD').at(-1) ?? '[]') as string[]).join(' ')}`).toBe(scripts.start)
    expect(all('USER')).toEqual(['node'])
    expect(all('STOPSIGNAL')).toEqual(['SIGTERM'])
  })

  test('labels the image with its release, and with the base that it is built on', () => {
    const labels = Object.fromEntries(
      [...(all('LABEL')[0] ?? '').matchAll(/org\.opencontainers\.image\.([\w.]+)="([^"]*)"/g)].map(
        ([, name, value]) => [name, value],
      ),
    )
    const [base] = (all('FROM')[0] ?? '').split('@')
    const { license } = JSON.parse(read('package.json')) as { license: string }
    expect(labels).toMatchObject({
      licenses: license,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Docker replaces them.
      version: '${VERSION}',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
      revision: '${REVISION}',
      'base.name': `docker.io/library/${base}`,
    })
    for (const name of ['VERSION', 'REVISION']) expect(all('ARG')).toContain(`${name}=""`)
  })

  test('copies only what is there and let through', () => {
    const letThrough = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
    expect(lines.some((line) => line.includes('scripts/image-contents.sh'))).toBe(true)
    const sources = all('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1))
    expect(sources.toSorted()).toEqual(letThrough.toSorted())
    for (const source of sources)
      expect([source, existsSync(new URL(`../${source}`, import.meta.url))]).toEqual([source, true])
  })
})
