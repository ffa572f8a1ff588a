import type { Reporter, TestModule } from 'vitest/node'

/** Ends the output with the one line that CI reads. */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let [passed, failed, skipped] = [0, unhandledErrors.length, 0]
    for (const module of modules) {
      failed += module.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state === 'skipped') skipped += 1
        else failed += 1
      }
    }
    // Tests are skipped only on request.
    const suffix = skipped > 0 ? `, ${skipped} skipped` : ''
    process.on('exit', () => console.log(`${passed} passed, ${failed} failed${suffix}`))
  }
}
