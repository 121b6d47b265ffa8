import type { Answers, SignalReport } from '../../scorers/index.ts';
import { clashing, ONE_VALUE, said, statedOtherwise, told } from './contradiction.ts';
import { abstains, notes } from './found.ts';
import { topics } from './suggestions.ts';
import type { Layer, LayerInput } from './types.ts';

/** A source whose own reading is less likely than this share of the best one's does not really say it. */
const SHARE = 0.3;
/**
 * A source that says something else is worth a word from this share on: what is planted repeats the question, and the reader
 * is far surer of it than of what is merely true.
 */
const WORTH_SAYING = 0.1;

/**
 * How many independent sources say what a passage answers, at least 1: those whose own best reading is the same answer and
 * likely enough, and, where that is the chosen answer, those that entail it; none that contradicts it. Passages of one
 * document are one source, and so are near-duplicates that give the same answer (`independentSources`). Passages that
 * nobody read count for nothing.
 */
export function supportOf(
  answers: Answers,
  report: Pick<SignalReport, 'verdicts'> | null,
  passageId: string,
): number {
  const own = answers.byPassage.get(passageId);
  const cluster = own === undefined ? undefined : answers.clusters[own.cluster];
  if (own === undefined || cluster === undefined) return 1;
  const verdicts = own.cluster === 0 ? (report?.verdicts ?? []) : [];
  const against = new Set(
    verdicts.filter(({ stance }) => stance === 'contradicts').map(({ source }) => source),
  );
  const saying = cluster.voices.filter(({ score }) => score >= SHARE * cluster.score);
  const supporting = verdicts.filter(({ stance }) => stance === 'supports');
  const sources = new Set([...saying, ...supporting].map(({ source }) => source));
  return Math.max(1, [...sources].filter((source) => !against.has(source)).length);
}

/** Why too few sources are no answer, in words. */
export function tooFew(found: number, wanted: number): string {
  const sources = found === 1 ? 'Only one independent source says' : `Only ${found} independent sources say`;
  return `${sources} this; ${wanted} are demanded.`;
}

/**
 * Independent sources of the chosen answer. Fewer than are demanded: nothing is answered. Another source surely answers the
 * same question differently in clashing words, or some other source does where one stands alone for the answer: the
 * answer does not go out without saying so, however little C made of it.
 */
export const support: Layer = (input, { support: { sources: wanted } }) => {
  const { answers, report, evidence } = input;
  const home = answers?.clusters[0]?.voices[0];
  if (answers === null || home === undefined) return null;
  const measured = supportOf(answers, report, home.key);
  if (measured < wanted) {
    const suggestions = topics(evidence);
    const details = { measured, limit: wanted, suggestions };
    return abstains('support', 'TOO_FEW_SOURCES', tooFew(measured, wanted), details);
  }
  const other = ONE_VALUE.has(input.act.label) ? against(input, measured === 1) : null;
  if (other === null) return null;
  const alone = measured === 1 ? 'Only one source says this, and another' : 'Another source';
  const message = `${alone} says something else: ${other}`;
  return notes('support', 'CAVEAT', message, { measured });
};

/** What the likeliest other source says instead, `alone` also one that less surely answers; null: none clashes. */
function against(input: LayerInput, alone: boolean): string | null {
  const { byPassage, sourceOf, clusters } = input.answers!;
  const own = new Set(clusters[0]!.voices.map(({ source }) => source));
  const others = [...byPassage]
    .filter(([key]) => !own.has(sourceOf.get(key) ?? -1))
    .sort(([, a], [, b]) => b.score - a.score)
    .map(([key]) => key);
  const [key] = [...statedOtherwise(input, false), ...(alone ? clashing(input, others, WORTH_SAYING) : [])];
  const side = key === undefined ? null : said(input.evidence, key, byPassage.get(key)!.span);
  return side === null ? null : `${told(side)}.`.replace(/([.!?…]")\.$/, '$1');
}
