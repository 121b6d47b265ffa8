import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one plain line that any CI can read; a skipped test and a broken file count as failures. */
const totals: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed++;
        else failed++;
      }
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
    if (failed > 0) process.exitCode = 1;
  },
};

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules', 'dist'],
    // Only against what hangs: a machine that is busy with something else takes several times as long.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Two cores: more forks than that only fight over the scoring threads.
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', totals],
  },
});
