/**
 * `npm run webgpu`: the demo on WebGPU beside the CPU, on a Vulkan driver in software where there is no graphics card.
 * Ends with 0 when no action flips and every number is within its tolerance, 69 when there is nothing to run it on.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EXIT, messageOf, PragauraError } from '../../errors.ts';
import { say } from '../commands/options.ts';
import { softwareVulkan, WHAT_IT_NEEDS } from './software-vulkan.ts';

/** A driver in software computes a pair in a second or more. */
const QUERIES = 4;
const PAIRS = 6;

async function main(): Promise<number> {
  const driver = softwareVulkan(process.env);
  if (driver === null) {
    say(`No Vulkan driver in software was found.\n${WHAT_IT_NEEDS}`);
    return EXIT.UNAVAILABLE;
  }
  // Before anything loads the runtime, which reads it once.
  if (!driver.named) process.env.VK_ICD_FILENAMES = driver.files;
  say(`Vulkan driver: ${driver.files}, ${driver.name}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-webgpu-'));
  try {
    const demo = path.dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
    const index = path.join(folder, 'index');
    const [{ indexDocuments }, { benchProviders }] = await Promise.all([
      import('../../router/index.ts'),
      import('./run.ts'),
    ]);
    await indexDocuments([path.join(demo, 'documents')], { out: index });
    const { text, exitCode } = await benchProviders(
      {
        index,
        queries: path.join(demo, 'queries.ndjson'),
        provider: 'webgpu',
        models: {},
        threads: undefined,
        n: QUERIES,
        budget: { rerankPairs: PAIRS, nliPairs: PAIRS },
        tolerances: { logit: 0.5, probability: 0.05, cosine: 0.01 },
      },
      say,
    );
    process.stdout.write(`${text}\n`);
    return exitCode;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const known = PragauraError.isInstance(error);
  say(known && error.code === 'SCORING_FAILED' ? `${error.message}\n${WHAT_IT_NEEDS}` : messageOf(error));
  process.exitCode = known ? error.exitCode : EXIT.INTERNAL;
}
