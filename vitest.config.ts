import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Two copies of graphql (CommonJS and ESM) would not accept each other's schema.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts', 'demo/test/**/*.test.ts'],
    globalSetup: ['test/kit/global-setup.ts'],
    reporters: ['default', './test/kit/counts-reporter.ts'],
    // Nothing takes as long, unless it is broken, or the machine has ten times as much to do as it can.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One second, the default, is soon over there.
    expect: { poll: { timeout: 20_000 } },
  },
})
