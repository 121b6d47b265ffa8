/**
 * `npm run webgpu`: the demo on WebGPU beside the CPU, both with the shipped weights in float, on a Vulkan driver in software
 * where there is no graphics card. `-- --models-dir DIR`: with the models of that folder; `-- --n N`, `-- --pairs N`: more or
 * fewer queries, and pairs of each. Ends with 0 when no action flips and every number is within its tolerance, 69 when there
 * is nothing to run it on or it is left for the CPU.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT, messageOf, PragauraError } from '../../common/index.ts';
import { countAtLeast, say } from '../commands/options.ts';
import { softwareVulkan, WHAT_IT_NEEDS } from './software-vulkan.ts';

/** A driver in software computes a pair in a second or more. */
const QUERIES = '4';
const PAIRS = '6';

const WHAT_WEIGHTS =
  'Weights in int8 score otherwise there, and are left for the CPU; "pragaura models dequantize" makes floats of them.';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      'models-dir': { type: 'string' },
      n: { type: 'string', default: QUERIES },
      pairs: { type: 'string', default: PAIRS },
    },
  });
  const [n, pairs] = [countAtLeast(1)(values.n), countAtLeast(1)(values.pairs)];
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
    const [{ indexDocuments }, { dequantizeModels }, { benchProviders }] = await Promise.all([
      import('../../router/index.ts'),
      import('../../scorers/commands/dequantize.ts'),
      import('./run.ts'),
    ]);
    const models = { modelsDir: values['models-dir'] ?? path.join(folder, 'models') };
    if (values['models-dir'] === undefined) await dequantizeModels({ out: models.modelsDir });
    await indexDocuments([path.join(demo, 'documents')], { out: index, models });
    const { text, exitCode } = await benchProviders(
      {
        index,
        queries: path.join(demo, 'queries.ndjson'),
        provider: 'webgpu',
        models,
        threads: undefined,
        n,
        concurrency: 2,
        budget: { rerankPairs: pairs, nliPairs: pairs },
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
  say(
    known && error.code === 'SCORING_FAILED'
      ? `${error.message}\n${WHAT_IT_NEEDS}\n${WHAT_WEIGHTS}`
      : messageOf(error),
  );
  process.exitCode = known ? error.exitCode : EXIT.INTERNAL;
}
