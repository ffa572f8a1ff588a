import { defaultServerConditions } from 'vite'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { relayDocuments } from './test/clients/relay-documents.ts'
import { LongestFirst } from './test/kit/runner/longest-first.ts'

const all = ['test/**/*.test.ts', '{console,demo}/test/**/*.test.ts']

/** What needs more than this process. A file that none of them names is a unit test: it starts no process and opens no port. */
const beyondUnits = {
  /** The ports on real backends, and the clients of these backends. */
  store: [
    'test/store/**/*.test.ts',
    'test/engine/dynamodb/{client,http,lean}.test.ts',
    'test/engine/redis/*.test.ts',
    'test/engine/key-value/*.test.ts',
    'test/copy/{round-trip,interrupted,file}.test.ts',
    'test/deploy.test.ts',
  ],
  /** Whole nodes, from the wire to the backends; and what talks to a server on the wire. */
  flows: [
    'test/flows/**/*.test.ts',
    'test/hostile/{audits,documents,frames,http,values}.test.ts',
    'test/process/*.test.ts',
    'test/deploy/image.test.ts',
    'test/observability/{alarms,paging}.test.ts',
    'test/copy/{online-backup,growing}.test.ts',
    'test/transport/**/*.test.ts',
    'test/engine/websocket/{frames,ws-insides}.test.ts',
    'test/push/{apns,deadlines,fcm,webpush}.test.ts',
    'test/pre-send/pre-send.test.ts',
    'test/webhooks/*.test.ts',
    'test/client/{chat,chat-groups,chat-media,docs}.test.ts',
    'test/client/link/{sse-link,websocket-link}.test.ts',
    'test/clients/*.test.ts',
    'test/chaos/faults/*.test.ts',
    'test/chaos/final-ticks.test.ts',
    'test/dev/built-pages.test.ts',
    'test/kit/*.test.ts',
  ],
  /** The pages in Chromium, and the packages with the pages that are built on them. */
  browser: ['test/{console,demo}/*.test.ts', 'test/dev/graphiql.test.ts', 'test/packages/*.test.ts'],
  /** A little of what `npm run proofs` does at length. */
  proofs: [
    'test/simulation/*.test.ts',
    'test/chaos/{chaos,cluster,embedded}.test.ts',
    'test/crash/*.test.ts',
    'test/hostile/random.test.ts',
    'test/events/*.test.ts',
  ],
}

/**
 * Flows that run a second time, on one node without Redis and DynamoDB. All others can: `STORE=embedded npx vitest run test/flows`. What fails there
 * looks into Redis or DynamoDB, harms them, counts calls to them or needs two nodes.
 */
const embeddedFlows = [
  'test/flows/admin/{reports,webhooks}.test.ts',
  'test/flows/admin/bans.test.ts',
  'test/flows/groups/{notices,unwanted-groups}.test.ts',
  'test/flows/messages/{around,metadata,nodes,reaction-limits}.test.ts',
  'test/flows/people/{privacy,profile,strangers}.test.ts',
]

/** Flows that run a second time, on two nodes and a Redis Cluster. All others that do not look into Redis can: `REDIS=cluster npx vitest run …`. */
const clusterFlows = [
  'test/flows/groups/{conversation-updated,notices,removed-unheard}.test.ts',
  'test/flows/people/profile.test.ts',
]

/** Most of them wait for sockets, processes and pages, so that there is work for more of them than there are cores. */
const maxWorkers = 4

const project = (name: keyof typeof beyondUnits): TestProjectInlineConfiguration => ({
  ...shared,
  test: { ...shared.test, name, include: beyondUnits[name] },
})

const shared = {
  plugins: [relayDocuments],
  // Two copies of graphql (CommonJS and ESM) would not accept each other's schema.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  // Tests of the demo load the sources of @parley/client. Vitest hands the conditions to Node, which cannot load what some packages have
  // under `module`.
  ssr: { resolve: { conditions: ['parley-source', ...defaultServerConditions.filter((each) => each !== 'module')] } },
  test: {
    // Nothing takes as long, unless it is broken, or the machine has ten times as much to do as it can.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // One second, the default, is soon over there.
    expect: { poll: { timeout: 20_000 } },
    // To load the server takes a second, which each worker spends once. The files leave nothing behind in the modules they share.
    isolate: false,
    maxWorkers,
  },
}

export default defineConfig({
  test: {
    // The projects share modules, which are else transformed once for each of them: a tenth of the whole run.
    experimental: { fsModuleCache: true },
    globalSetup: ['test/kit/runner/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/kit/runner/counts-reporter.ts'],
    projects: [
      {
        ...shared,
        test: {
          ...shared.test,
          name: 'unit',
          include: all,
          exclude: ['**/node_modules/**', ...Object.values(beyondUnits).flat()],
          setupFiles: ['test/kit/runner/no-process-no-port.ts', 'test/kit/runner/fixed-seeds.ts'],
        },
      },
      project('store'),
      project('flows'),
      { ...shared, test: { ...shared.test, name: 'embedded', include: embeddedFlows, env: { STORE: 'embedded' } } },
      { ...shared, test: { ...shared.test, name: 'cluster', include: clusterFlows, env: { REDIS: 'cluster' } } },
      project('browser'),
      project('proofs'),
    ],
  },
})
