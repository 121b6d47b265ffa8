/** Whether models are what the lock file says, file by file and then by running them. */
import { z } from 'zod';
import { messageOf, PragauraError } from '../../common/index.ts';
import { absence, locate, pullHint, whereabouts } from '../hub/locate.ts';
import { type HubSettings, hubSettings } from '../hub/settings.ts';
import { inexactNodes } from '../runtime/arithmetic.ts';
import { openScorers } from '../runtime/open.ts';
import { defaultModelsDir, filesOf, findModel, JOBS, type Named, readLock } from '../runtime/registry.ts';
import { readVerified } from '../runtime/weights.ts';
import type { Job } from '../types.ts';

export interface ModelCheck {
  model: string;
  check: 'files' | 'labels' | 'sums' | 'runs';
  ok: boolean;
  detail: string;
  /** What mends it. */
  fix?: string;
}

/**
 * Checks the named models, or every shipped one and those that were pulled; `announce` is told of those that count as
 * never pulled because the cache cannot be read. The hub's settings are those of the environment, as for whoever scores.
 * Each check that fails ends with its model; nothing is thrown but MODEL_UNUSABLE for the lock file itself and
 * CONFIGURATION for a name that it does not have.
 */
export async function* verifyModels(
  dir = defaultModelsDir(),
  names: readonly string[] = [],
  announce: (message: string) => void = () => {},
): AsyncGenerator<ModelCheck> {
  const settings = hubSettings();
  const lock = await readLock(dir);
  const wanted = (names.length > 0 ? names : Object.keys(lock.models)).map((name) => findModel(lock, name));
  for (const named of wanted) {
    const { where, fault } = await whereabouts(dir, named, settings);
    if (where !== 'absent') {
      yield* verifyModel(dir, named, settings);
      continue;
    }
    const { name: model } = named;
    const { hub } = named.model;
    // What nobody pulled is no fault; what is shipped has to be there.
    if (names.length === 0 && hub !== undefined) {
      if (fault !== undefined) announce(absence(model, fault));
      continue;
    }
    const mend = hub === undefined ? 'install the package anew' : pullHint(model, hub, settings);
    const detail = fault === undefined ? 'not here' : `not here: ${fault.message}`;
    yield { model, check: 'files', ok: false, detail, fix: fault?.hint ?? mend };
  }
}

async function* verifyModel(dir: string, named: Named, settings: HubSettings): AsyncGenerator<ModelCheck> {
  const { name: model } = named;
  const checks: [ModelCheck['check'], () => Promise<string | null>][] = [
    ['files', () => checkFiles(dir, named, settings)],
    ['labels', () => checkLabelNames(dir, named, settings)],
    ['sums', () => checkSums(dir, named, settings)],
    ['runs', () => checkRuns(dir, named)],
  ];
  for (const [check, look] of checks) {
    try {
      const detail = await look();
      if (detail !== null) yield { model, check, ok: true, detail };
    } catch (error) {
      const hint = PragauraError.isInstance(error) ? error.hint : undefined;
      yield {
        model,
        check,
        ok: false,
        detail: messageOf(error),
        ...(hint === undefined ? {} : { fix: hint }),
      };
      return;
    }
  }
}

async function checkFiles(dir: string, named: Named, settings: HubSettings): Promise<string> {
  const done: string[] = [];
  for (const file of filesOf(named.model)) {
    const located = await locate(dir, named, file, settings);
    await readVerified(located);
    done.push(`${file.path} ${located.sha256.slice(0, 12)}`);
  }
  return done.join(', ');
}

/** Null where there is nothing to compare with. */
async function checkLabelNames(dir: string, named: Named, settings: HubSettings): Promise<string | null> {
  const { config, jobs } = named.model;
  if (config === undefined || jobs.nli === undefined) return null;
  const located = await locate(dir, named, config, settings);
  const text = Buffer.from(await readVerified(located)).toString('utf8');
  const wrong = checkLabels(text, jobs.nli.labels);
  if (wrong === null) return jobs.nli.labels.join(', ');
  throw new PragauraError('MODEL_UNUSABLE', `${located.path} ${wrong}`, {
    hint: `the lock file gives its labels as ${jobs.nli.labels.join(', ')}: one of the two is wrong`,
  });
}

/** A file whose scores hang on the processor is told of, not refused: it may be used on one kind of machine alone. */
async function checkSums(dir: string, named: Named, settings: HubSettings): Promise<string> {
  const { weights, upper } = named.model;
  const nodes: string[] = [];
  for (const file of upper === undefined ? [weights] : [weights, upper])
    nodes.push(...inexactNodes(await readVerified(await locate(dir, named, file, settings))));
  if (nodes.length === 0) return 'the same on every processor with AVX2, or none in 8 bits';
  const some = nodes.slice(0, 3).join(', ');
  const more = nodes.length > 3 ? ' …' : '';
  return `CARE: ${nodes.length} 8-bit products (${some}${more}) are cut off on processors without VNNI: scores differ there`;
}

async function checkRuns(dir: string, { name, model }: Named): Promise<string> {
  const jobs = JOBS.filter((job) => model.jobs[job] !== undefined);
  const models = Object.fromEntries(jobs.map((job) => [job, name])) as Partial<Record<Job, string>>;
  const scorers = await openScorers({ modelsDir: dir, jobs, models, threads: 1 });
  await scorers.close();
  const known = jobs.reduce((sum, job) => sum + model.jobs[job]!.known.length, 0);
  return `${jobs.join(', ')}; tensors as named, ${known} known pairs right`;
}

/** The label names of an upstream config.json. */
const Config = z.object({ id2label: z.record(z.string().regex(/^\d+$/), z.string()) });

/**
 * What is wrong with the order of the labels in a config.json, in words; null when it is ours. A config without names
 * (`LABEL_0`) says nothing and is wrong too: whoever locked it expected names.
 */
function checkLabels(config: string, labels: readonly string[]): string | null {
  let parsed: z.infer<typeof Config>;
  try {
    parsed = Config.parse(JSON.parse(config));
  } catch {
    return 'has no id2label';
  }
  const found = Object.entries(parsed.id2label)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, label]) => label.toLowerCase());
  return found.join() === labels.join() ? null : `has the labels ${found.join(', ')}, in this order`;
}
