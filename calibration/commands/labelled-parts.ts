/** Labelled queries, read, divided and measured: the same for whatever is fitted on them. */
import { PragauraError } from '../../common/index.ts';
import { checkGrouped, countLabels, rightActionOf } from '../labels/examples.ts';
import { loadLabelled } from '../labels/load.ts';
import type { ObserveStats } from '../observations/observe.ts';
import { separateTest } from '../splits/disjoint.ts';
import { type Documents, documentsAmong, tiedGroups } from '../splits/documents.ts';
import { SPLITS, type SplitName, type Splits, splitExamples } from '../splits/split.ts';
import type { Example, Observation } from '../types.ts';
import type { CalibrateSettings } from './calibrate-settings.ts';

/** What was measured of each part. */
export type Parts = Record<SplitName, Observation[]>;

type Asked = Pick<CalibrateSettings, 'dev' | 'test' | 'shared' | 'shares' | 'seed' | 'exchangeable' | 'fit'>;

/**
 * The parts, and what counts as one document. Throws INVALID_INPUT when a test file shares a group, a document or a
 * question with --dev, unless such are dropped; when documents count and examples name none; and when a planner is to be
 * fitted and labels do not say which action is right.
 */
export async function partsFrom(
  { dev, test, shared, shares, seed, exchangeable, fit }: Asked,
  say: (line: string) => void,
): Promise<{ splits: Splits; documents: Documents }> {
  const read = (file: string) => (fit === null ? loadLabelled(file) : withActions(file));
  const why = fit === null ? undefined : 'what is fitted and what it is held to are divided by documents';
  const examples = await read(dev);
  say(labelsOf(dev, examples));
  if (exchangeable === 'documents') checkGrouped(examples, dev, why);
  const splits = splitExamples(examples, { shares, seed });
  const documents = documentsAmong(examples);
  if (test === null) return { splits, documents };
  const tests = await read(test);
  say(labelsOf(test, tests));
  const { test: left, dropped } = separateTest(examples, tests, shared);
  if (left.length < tests.length) {
    const { group, document, question } = dropped;
    say(
      `${tests.length - left.length} of ${tests.length} test examples are left out: ${group} share a group with --dev, ` +
        `${document} a document, ${question} (nearly) a question.`,
    );
  }
  if (exchangeable === 'documents') checkGrouped(left, test, why);
  const others = documentsAmong(tests);
  const tied = tiedGroups(left, others);
  if (tied !== null) say(`${test}: ${tied}`);
  return { splits: { ...splits, test: left }, documents: new Map([...documents, ...others]) };
}

const SHOWN = 10;

/** Throws INVALID_INPUT, with the lines, where a label says neither which action is right nor what it follows from. */
async function withActions(file: string): Promise<Example[]> {
  const silent: string[] = [];
  const examples = await loadLabelled(file, (example, where) => {
    // What stands behind the name of the file: "line 7".
    if (rightActionOf(example) === null) silent.push(where.slice(where.lastIndexOf(', ') + 2));
  });
  if (silent.length === 0) return examples;
  const more = silent.length > SHOWN ? ` and ${silent.length - SHOWN} more` : '';
  throw new PragauraError(
    'INVALID_INPUT',
    `${silent.length} of ${examples.length} labelled queries of ${file} do not say which action is right: ` +
      `${silent.slice(0, SHOWN).join(', ')}${more}.`,
    {
      hint:
        'Say "action": "ANSWER", "ASK" or "ABSTAIN". Without it "answers", "passages" or "answerable": true mean ANSWER, ' +
        '"answerable": false means ABSTAIN.',
    },
  );
}

/** What the labels say, so that what they do not say is known before hours of measuring. */
function labelsOf(file: string, examples: readonly Example[]): string {
  const { answers, passagesOnly, unanswerable, unlabelled } = countLabels(examples);
  const parts = [
    `${answers} with answers`,
    ...(passagesOnly > 0 ? [`${passagesOnly} with passages only`] : []),
    ...(unanswerable > 0 ? [`${unanswerable} that nothing should answer`] : []),
    ...(unlabelled > 0 ? [`${unlabelled} without a label`] : []),
  ];
  return `${file}: ${examples.length} labelled queries, ${parts.join(', ')}`;
}

/** The observations of each part; those that were not measured are empty. They come in the order of the examples. */
export function divided(
  observations: readonly Observation[],
  splits: Splits,
  measured: readonly SplitName[],
): Parts {
  const parts: Parts = { tune: [], calibrate: [], test: [] };
  let from = 0;
  for (const name of SPLITS.filter((each) => measured.includes(each))) {
    parts[name] = observations.slice(from, from + splits[name].length);
    from += splits[name].length;
  }
  return parts;
}

/** How the measuring went, in words. */
export function speed({ fromCache, measured, failed, seconds, modelShare }: ObserveStats): string {
  const parts = [`${fromCache} examples measured before`];
  if (measured > 0) {
    const rate = (measured / seconds).toFixed(1);
    const models = modelShare === null ? '' : `, ${(100 * modelShare).toFixed(0)} % of the time in models`;
    parts.push(`${measured} now in ${seconds.toFixed(1)} s (${rate} a second${models})`);
  }
  if (failed > 0) parts.push(`${failed} could not be decided and count as not answered`);
  return `${parts.join('; ')}.`;
}
