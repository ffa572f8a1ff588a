import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Two copies of graphql (CommonJS and ESM) would not accept each other's schema.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts', 'demo/test/**/*.test.ts'],
    globalSetup: ['test/kit/global-setup.ts'],
    reporters: ['default', './test/kit/counts-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A second, which is the default, is nothing on a machine that is busy.
    expect: { poll: { timeout: 20_000 } },
  },
})
