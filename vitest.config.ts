import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules', 'dist'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: more forks than that only fight over the scoring threads.
    pool: 'forks',
    maxWorkers: 2,
  },
});
