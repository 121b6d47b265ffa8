/** `pragaura calibrate --target factuality`: labelled answers in, thresholds on the support of their sentences out. */
import { PragauraError, plainLine, table, toLine } from '../../common/index.ts';
import { factualityMadeWith } from '../../generation/index.ts';
import { openScorers, type ScorersOptions } from '../../scorers/index.ts';
import { checkWritable, saveArtifact } from '../artifact/save.ts';
import {
  exampleOfAnswer,
  type LabelledAnswer,
  loadAnswers,
  type MeasuredAnswer,
  measureAnswer,
} from '../factuality/answers.ts';
import { type FactualityArtifact, verifierHash } from '../factuality/artifact.ts';
import { factualityArtifact } from '../factuality/fit.ts';
import type { Level } from '../levels/level.ts';
import { concurrently } from '../observations/concurrently.ts';
import { measuringProgress } from '../observations/progress.ts';
import { separateTest } from '../splits/disjoint.ts';
import { documentIn, documentsAmong } from '../splits/documents.ts';
import { splitExamples } from '../splits/split.ts';
import type { Exchangeable } from '../thresholds/types.ts';
import type { Example } from '../types.ts';
import { proportion } from './render-calibration.ts';

export interface FactualitySettings {
  dev: string;
  test: string | null;
  shared: 'refuse' | 'drop';
  level: Level;
  scope: 'acts' | 'global';
  exchangeable: Exchangeable;
  /** Parts to set thresholds on and to test on. */
  shares: { calibrate: number; test: number };
  seed: number;
  out: string;
  json: boolean;
}

/** Answers verified at a time: enough that no inference thread waits. */
const IN_FLIGHT = 4;

/**
 * Verifies every labelled answer, sets thresholds, writes them. Gives what goes to standard output. Throws INVALID_INPUT
 * for labels that cannot be used, WRITE_FAILED, and ABORTED when the signal fired: nothing is kept then.
 */
export async function runFactuality(
  settings: FactualitySettings,
  {
    scorers: options,
    say,
    signal,
  }: { scorers: ScorersOptions; say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  await checkWritable(settings.out);
  const { parts, documents, generators } = await answersFrom(settings, say);
  const scorers = await openScorers({ ...options, jobs: ['nli'] });
  try {
    const measured = new Map<Example, MeasuredAnswer>();
    const all = [...parts.calibrate, ...parts.test];
    const progress = measuringProgress(all.length);
    await concurrently(
      all,
      IN_FLIGHT,
      async ({ example, answer }, own) => {
        measured.set(
          example,
          await measureAnswer(answer, documentIn(documents, example), { scorers, signal: own }),
        );
        progress.step();
      },
      { stop: signal, cancel: signal },
    ).finally(() => progress.end());
    if (measured.size < all.length)
      throw new PragauraError('ABORTED', 'Interrupted before all was measured.');
    const of = (part: readonly Divided[]) => part.map(({ example }) => measured.get(example)!);
    const artifact = factualityArtifact({
      ...settings,
      calibrate: of(parts.calibrate),
      test: of(parts.test),
      splits: { seed: settings.seed, testFile: settings.test !== null },
      validFor: { ...factualityMadeWith(scorers.info), generators },
      program: await verifierHash(),
    });
    await saveArtifact(settings.out, artifact);
    say(`Written: ${settings.out}`);
    for (const note of notesOf(artifact)) say(note);
    return settings.json ? toLine(summaryOf(artifact)) : renderFactuality(artifact);
  } finally {
    await scorers.close();
  }
}

interface Divided {
  example: Example;
  answer: LabelledAnswer;
}

async function answersFrom(
  { dev, test, shared, shares, seed, exchangeable }: FactualitySettings,
  say: (line: string) => void,
) {
  const read = async (file: string) => {
    const answers = await loadAnswers(file);
    say(`${file}: ${answers.length} labelled answers`);
    const examples = answers.map(exampleOfAnswer);
    const without = exchangeable === 'documents' ? examples.filter(({ ungrouped }) => ungrouped) : [];
    if (without.length > 0) {
      throw new PragauraError(
        'INVALID_INPUT',
        `${without.length} of ${answers.length} labelled answers of ${file} name no document (first ${JSON.stringify(without[0]!.id)}).`,
        { hint: 'Give each line "group", what it is about, or say --exchangeable questions.' },
      );
    }
    return { answers, examples, byExample: new Map(examples.map((example, i) => [example, answers[i]!])) };
  };
  const own = await read(dev);
  const splits = splitExamples(own.examples, { shares: { tune: 0, ...shares }, seed });
  for (const remark of splits.report.remarks) say(remark);
  const documents = documentsAmong(own.examples);
  const divided = (examples: readonly Example[], of: typeof own) =>
    examples.map((example): Divided => ({ example, answer: of.byExample.get(example)! }));
  const calibrate = divided(splits.calibrate, own);
  if (test === null) {
    const generators = generatorsOf(own.answers);
    return { parts: { calibrate, test: divided(splits.test, own) }, documents, generators };
  }
  const other = await read(test);
  const { test: left } = separateTest(own.examples, other.examples, shared);
  if (left.length < other.examples.length) {
    say(
      `${other.examples.length - left.length} of ${other.examples.length} test answers share something with --dev and are left out.`,
    );
  }
  return {
    parts: { calibrate, test: divided(left, other) },
    documents: new Map([...documents, ...documentsAmong(other.examples)]),
    generators: generatorsOf(own.answers),
  };
}

/** Throws INVALID_INPUT where some lines name their model and some do not. */
function generatorsOf(answers: readonly LabelledAnswer[]): string[] | null {
  const named = answers.filter(({ model }) => model !== undefined);
  if (named.length === 0) return null;
  if (named.length < answers.length) {
    throw new PragauraError(
      'INVALID_INPUT',
      `${named.length} of ${answers.length} labelled answers name the model that wrote them.`,
      {
        hint: 'Give "model" in every line, or in none: a promise is about the models whose answers were labelled.',
      },
    );
  }
  return [...new Set(named.map(({ model }) => model!))].sort();
}

function notesOf({ splits, acts, all }: FactualityArtifact): string[] {
  const notes: string[] = [];
  for (const name of ['calibrate', 'test'] as const) {
    const { answers, sentences, documents } = splits[name];
    notes.push(
      `${name}: ${answers} answers of ${documents} documents, ${sentences} sentences that claim something`,
    );
  }
  if (splits.test.answers === 0)
    notes.push('Nothing is left to test on: what the thresholds come to is not known.');
  if (all.threshold === null && acts.every(({ threshold }) => threshold === null)) {
    notes.push('No threshold reaches this level: with this calibration no sentence is kept.');
  }
  return notes;
}

const summaryOf = ({ createdBy: _, ...artifact }: FactualityArtifact) => ({
  ...artifact,
  schema: 'pragaura.factuality-summary/1' as const,
});

const HEAD = [
  'act',
  'answers',
  'rung',
  'threshold',
  'test',
  'all kept borne out',
  'kept of what is',
  'kept, and is not',
  'is not, of all',
];

function renderFactuality(artifact: FactualityArtifact): string {
  const rows = [
    ...artifact.acts.map((row) => ({ ...row, name: row.act as string })),
    { ...artifact.all, name: 'all' },
  ];
  const text = [
    table(
      HEAD,
      rows.map(({ name, own, rung, threshold, test }) => [
        name,
        own.documents === null ? String(own.n) : `${own.n} in ${own.documents}`,
        rung,
        threshold === null ? '–' : threshold.toFixed(4),
        String(test.whole.of),
        proportion(artifact.exchangeable === 'documents' ? test.wholeByDocument : test.whole),
        proportion(test.kept),
        proportion(test.keptWrong),
        proportion(test.wrong),
      ]),
    ),
    '',
    'answers: to set the threshold on; test: answers; then, with 95 % intervals: answers of which all that is kept is borne out',
    '(by document where promises are), sentences kept of those that are borne out, not borne out of those kept, and of all.',
    '',
    artifact.all.sentence,
    ...artifact.acts.flatMap(({ act, rung, sentence }) =>
      rung === 'act' || rung === 'parent' ? [`${plainLine(act)}: ${sentence}`] : [],
    ),
  ];
  return `${text.join('\n')}\n`;
}
