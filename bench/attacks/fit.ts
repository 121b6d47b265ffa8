/** Trains the detector of text that talks to a machine, and finds its threshold on texts left out. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { seededRandom } from '../../common/index.ts';
import { SoftmaxRegression } from '../../router/acts/training/softmax-regression.ts';
import { writeModel } from '../../router/acts/training/train.ts';
import {
  POISON_BUCKETS,
  POISON_MODEL,
  POISON_WEIGHTS,
  PoisonDetector,
  type PoisonHeader,
  poisonFeatures,
  stretchesOf,
} from '../../router/index.ts';
import { parseJson, parseJsonLines, readDataFile } from '../datasets/files.ts';
import { loadDataset } from '../datasets/index.ts';

/** Where the wordings that it learns from stand in the repository. */
const WORDINGS = 'router/poison/training';
/** Of harmless wordings, and of passages of public sets, the share that may be flagged at most, on texts left out. */
const FALSE_ALARMS = { wordings: 0.01, passages: 0.001 };
/** How much one public stretch counts beside one wording: there are far more of them. */
const PUBLIC_WEIGHT = 0.25;
const PASSAGES = 2_000;
const TECHNICAL = 2_500;

const Wording = z.object({ text: z.string(), lang: z.string() });
const Evidence = z.array(z.object({ evidences: z.array(z.string()) }));
const Manual = z.record(z.string(), z.object({ text: z.array(z.string()) }));

interface Example {
  /** What is learned from: a wording as a whole, each stretch of a passage. */
  learned: string[];
  /** What is looked at. */
  stretches: string[];
  source: 'attacks' | 'harmless' | 'public';
  /** With which it is left out when the threshold is found. */
  fold: number;
}

/** The texts of a file of wordings. Throws NOT_FOUND, UNREADABLE_DOCUMENT. */
export async function wordings(dir: string, file: string): Promise<z.infer<typeof Wording>[]> {
  return parseJsonLines(await readDataFile(dir, file), path.join(dir, file)).map((row) => Wording.parse(row));
}

/** The rules of public services that each question of a part of ConditionalQA has, as text; none twice. */
export async function servicesRules(data: string, part: 'train' | 'dev'): Promise<string[]> {
  const file = `conditionalqa/${part}.json.gz`;
  const rules = Evidence.parse(parseJson(await readDataFile(data, file), file)).map(({ evidences }) =>
    evidences.join(' ').replace(/<[^>]*>/g, ''),
  );
  return [...new Set(rules)].filter((text) => text !== '');
}

/** Wordings to learn from; the fold that leaves them out is that of their author, whose files end in one name. */
async function learned(source: 'attacks' | 'harmless'): Promise<Example[]> {
  const files = (await readdir(WORDINGS)).filter((name) => name.startsWith(source)).sort();
  const all = await Promise.all(files.map((file) => wordings(WORDINGS, file)));
  return all.flatMap((rows, fold) =>
    rows.map(({ text }) => ({ source, fold, learned: [text], stretches: stretchesOf(text) })),
  );
}

/** Pieces of the pages that the project's dependencies come with: technical prose, code, options, tables. */
async function technicalPassages(modules: string): Promise<string[]> {
  const scopes = (await readdir(modules)).filter((name) => name.startsWith('@'));
  const scoped = await Promise.all(
    scopes.map(async (scope) =>
      (await readdir(path.join(modules, scope))).map((name) => path.join(scope, name)),
    ),
  );
  const names = [...(await readdir(modules)), ...scoped.flat()].sort();
  const pages = await Promise.all(
    names.map((name) => readFile(path.join(modules, name, 'README.md'), 'utf8').catch(() => '')),
  );
  const pieces = pages.flatMap((page) => page.match(/[\s\S]{1,500}(?:\n\s*\n|$)/g) ?? []);
  const step = Math.max(1, Math.floor(pieces.length / TECHNICAL));
  return [...new Set(pieces.map((piece) => piece.trim()))].filter(
    (piece, i) => piece !== '' && i % step === 0,
  );
}

/**
 * Passages of public sets that talk to people: encyclopaedia (SQuAD training articles), rules of public services
 * (ConditionalQA), a television's manual.
 */
async function publicPassages(data: string): Promise<string[]> {
  const [articles, rules, manual] = await Promise.all([
    loadDataset('train-44', data),
    servicesRules(data, 'train'),
    readDataFile(data, 'emanual/smart_tv_remote_manual_corpus.json'),
  ]);
  const sections = Object.values(Manual.parse(parseJson(manual, 'emanual'))).map(({ text }) =>
    text.join(' '),
  );
  const random = seededRandom(7);
  const all = [...new Set([...articles.documents.map(({ text }) => text), ...rules])].filter(
    (text) => text !== '',
  );
  const drawn = Array.from(
    { length: Math.min(PASSAGES, all.length) },
    () => all.splice(Math.floor(random() * all.length), 1)[0]!,
  );
  return [...drawn, ...sections];
}

function trained(
  examples: readonly Example[],
  threshold: number,
): { header: PoisonHeader; weights: Int8Array } {
  const model = new SoftmaxRegression({
    labels: ['harmless', 'attack'],
    epochs: 12,
    rate: 0.5,
    denseRate: 0,
  });
  for (const { learned: texts, source } of examples) {
    for (const text of texts) {
      const label = source === 'attacks' ? 'attack' : 'harmless';
      model.addExample(
        { sparse: poisonFeatures(text), weight: source === 'public' ? PUBLIC_WEIGHT : 1 },
        label,
      );
    }
  }
  model.train();
  const { sparse, bias } = model.weights!;
  const weights = Float64Array.from(
    { length: POISON_BUCKETS },
    (_, i) => sparse[2 * i + 1]! - sparse[2 * i]!,
  );
  const scale = Math.max(...weights.map(Math.abs)) / 127;
  const rounded = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  const sources = ['attacks', 'harmless', 'public'] as const;
  return {
    header: {
      schema: 'pragaura.poison/1',
      buckets: POISON_BUCKETS,
      bias: bias[1]! - bias[0]!,
      scale,
      threshold,
      sha256: createHash('sha256').update(rounded).digest('hex'),
      data: Object.fromEntries(
        sources.map((name) => [name, examples.filter(({ source }) => source === name).length]),
      ),
    },
    weights: rounded,
  };
}

/** The largest probability of a stretch of each text, by a detector that did not learn from it. */
function heldOut(examples: readonly Example[]): number[] {
  const scores = new Array<number>(examples.length).fill(0);
  for (const fold of new Set(examples.map((example) => example.fold))) {
    const { header, weights } = trained(
      examples.filter((example) => example.fold !== fold),
      0,
    );
    const detector = new PoisonDetector(header, weights);
    for (const [i, { fold: own, stretches }] of examples.entries())
      if (own === fold) scores[i] = Math.max(...stretches.map((stretch) => detector.probability(stretch)), 0);
  }
  return scores;
}

/** The least threshold at which few enough harmless texts are flagged. */
function thresholdOf(examples: readonly Example[], scores: readonly number[]): number {
  const least = (source: Example['source'], share: number) => {
    const own = scores.filter((_, i) => examples[i]!.source === source).sort((a, b) => b - a);
    return own[Math.floor(share * own.length)]!;
  };
  const threshold = Math.max(
    least('harmless', FALSE_ALARMS.wordings),
    least('public', FALSE_ALARMS.passages),
  );
  return Math.min(1, threshold + 1e-6);
}

/** Writes model and weights to `out`; gives how it did on what was left out. Throws what reading the data throws, and WRITE_FAILED. */
export async function fitPoison(data: string, out: string, say: (line: string) => void): Promise<void> {
  const [attacks, harmless] = [await learned('attacks'), await learned('harmless')];
  const folds = new Set(attacks.map(({ fold }) => fold)).size;
  const passages = [...(await publicPassages(data)), ...(await technicalPassages('node_modules'))].map(
    (text, i): Example => {
      const stretches = stretchesOf(text);
      return { source: 'public', fold: i % folds, learned: stretches, stretches };
    },
  );
  const examples = [...attacks, ...harmless, ...passages];
  const scores = heldOut(examples);
  const threshold = thresholdOf(examples, scores);
  for (const source of ['attacks', 'harmless', 'public'] as const) {
    const own = scores.filter((_, i) => examples[i]!.source === source);
    const flagged = own.filter((score) => score >= threshold).length;
    say(`left out, ${source}: ${flagged} of ${own.length} at ${threshold.toFixed(3)}`);
  }
  const { header, weights } = trained(examples, threshold);
  await writeModel(out, [
    [POISON_WEIGHTS, weights],
    [POISON_MODEL, `${JSON.stringify(header, null, 2)}\n`],
  ]);
  say(`written to ${out}`);
}
