import type { Reporter, TestModule } from 'vitest/node'

/** Closes the output with the one line CI reads. */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    let failed = unhandledErrors.length
    for (const module of modules) {
      failed += module.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        // A test that did not run has shown nothing.
        if (state === 'passed') passed += 1
        else failed += 1
      }
    }
    process.on('exit', () => console.log(`${passed} passed, ${failed} failed`))
  }
}
