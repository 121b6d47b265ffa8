import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * Tests in which models run each time that they are asked: those about them, as that the same comes out is what is tested,
 * and those of servers that are ended while they work.
 */
const MODELS_RUN = /^(?:scorers|server\/commands|bench\/serve)\//;
/** A room whose tests count the connections, threads and transfers of their process. */
const OWN_ROOMS = /^workers\//;
/** What a test file has in it that changes its own process, or starts a browser or an engine beside it. */
const OWN =
  /\bvi\.(?:stub|spyOn|useFake)|(?<![.\w])process\.(?:chdir|emit|exitCode)\b|\bprocess\.env\.\w+ = |\bchromium\b|\bstart(?:OpenSearch|Postgres)\b/;

function testFiles(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(?:node_modules|dist|\..*)$/.test(entry.name) ? [] : testFiles(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

const files = testFiles();
const working = files.filter((file) => MODELS_RUN.test(file));
const others = files.filter((file) => !MODELS_RUN.test(file));
const own = others.filter((file) => OWN_ROOMS.test(file) || OWN.test(readFileSync(file, 'utf8')));

export default defineConfig({
  test: {
    globalSetup: 'router/testing/run-folder.ts',
    // The build runs as it is.
    server: { deps: { external: [/\/command-line\.js$/] } },
    // A process and its imports are two seconds of a processor where they are those of a server: most files share two.
    projects: [
      { extends: true, test: { name: 'own', include: own } },
      { extends: true, test: { name: 'models', include: working, env: { PRAGAURA_TEST_RUNS: '' } } },
      {
        extends: true,
        test: { name: 'shared', include: others.filter((file) => !own.includes(file)), isolate: false },
      },
    ],
    // Only against what hangs: a machine that is busy with something else takes several times as long.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Two cores: more forks than that only fight over the scoring threads.
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', totals],
  },
});
