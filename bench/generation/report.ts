/** Figures of a generator with and without the gate and the check. Pure. */
import { createHash } from 'node:crypto';
import {
  answerF1,
  answerRecall,
  bootstrapInterval,
  contrastOfAreas,
  exactMatch,
  grouped,
  type Interval,
  quantilesOf,
  riskAtCoverage,
} from '../../calibration/index.ts';
import { uncertainty } from '../../router/index.ts';
import { ARMS, type Arm, type Row, type Shown } from './arms.ts';

/** What a person says of a generated sentence: whether what it was generated from bears it out. By `sentenceKey`. */
export type SentenceLabels = ReadonlyMap<string, boolean>;

/** Names a sentence among those of a question without its words. */
export function sentenceKey(set: string, id: string, text: string): string {
  return createHash('sha256').update(`${set}\n${id}\n${text.trim()}`).digest('hex').slice(0, 16);
}

export interface Figure {
  value: number | null;
  interval: Interval | null;
}

export interface ArmReport {
  set: string;
  arm: Arm;
  n: number;
  /** Share of the questions of which something is shown. */
  answered: number;
  /** Of the answerable ones: mean token F1 of what is shown with a right answer, silence 0. Null where the set has patterns. */
  f1: Figure;
  /** Of the answerable ones: all words of a right answer are in what is shown, or all that the set's patterns demand; something is shown and they are not. */
  holdsAnswer: Figure;
  wrong: Figure;
  /** Of those that nothing answers: something is shown. Null: the set has none. */
  inVain: Figure;
  /** Mean word pieces a question, nothing shown included. */
  promptTokens: number;
  generatedTokens: number;
  requests: number;
  /** Sentences shown; of these, by `verify`, those not borne out; those that cite, and of these those that cite what bears them out. */
  sentences: number;
  unsupportedByVerify: number | null;
  cited: number | null;
  citesRightly: number | null;
  /** By people, where labels are given: of the sentences shown those not borne out; of those that are, those not shown. */
  labelled: number;
  unsupported: Figure;
  supportedLost: number | null;
}

export interface RankingReport {
  set: string;
  n: number;
  em: number;
  f1: number;
  /** Word pieces of prompts and answers a question, beyond the answer itself. */
  tokens: { samples: number; branches: number };
  signals: { signal: string; emAt80: number; f1At80: number; aurc: number; difference: Figure }[];
}

export interface GenerationReport {
  schema: 'pragaura.bench-generation/1';
  model: string;
  arms: ArmReport[];
  rankings: RankingReport[];
  /** Milliseconds, medians; of what was asked anew. `later`: until the first verified sentence, beyond the first sentence itself. */
  ms: {
    decide: number;
    generate: number;
    verifyASentence: number;
    verifyShare: number;
    later: number | null;
  } | null;
}

export function reportOn(rows: readonly Row[], model: string, labels: SentenceLabels): GenerationReport {
  const sets = [...new Set(rows.map(({ set }) => set))];
  return {
    schema: 'pragaura.bench-generation/1',
    model,
    arms: [...sets, ...(sets.length > 1 ? [ALL] : [])].flatMap((set) => {
      const own = rows.filter((row) => set === ALL || row.set === set);
      return ARMS.map((arm) => armReport(set, arm, own, labels));
    }),
    rankings: sets.flatMap((set) => {
      // Patterns say what a whole answer takes, and nothing of its fewest words.
      const own = rows.filter((row) => row.set === set && row.answerable && row.taken === null);
      return own.length === 0 ? [] : [rankingReport(set, own)];
    }),
    ms: timings(rows.filter(({ arms }) => arms.alone!.requests > 0)),
  };
}

/** All sets together. */
const ALL = 'all';
const groupOf = ({ set, group }: Row) => `${set} ${group}`;

function armReport(set: string, arm: Arm, rows: readonly Row[], labels: SentenceLabels): ArmReport {
  const figure = (own: readonly Row[], of: (row: Row) => boolean): Figure => {
    const mean = (some: readonly Row[]) => (some.length === 0 ? null : some.filter(of).length / some.length);
    return {
      value: mean(own),
      interval: bootstrapInterval(grouped(own, groupOf), mean),
    };
  };
  const shownOf = (row: Row) => row.arms[arm];
  const holds = (row: Row) =>
    shownOf(row) !== null && (row.taken?.[arm] ?? answerRecall(shownOf(row)!.text, row.answers) === 1);
  const answerable = rows.filter((row) => row.answerable);
  const f1Of = (own: readonly Row[]) =>
    own.length === 0 || own.some(({ taken }) => taken !== null)
      ? null
      : own.reduce((sum, row) => sum + (answerF1(shownOf(row)?.text ?? '', row.answers) ?? 0), 0) /
        own.length;
  const mean = (of: (shown: Shown) => number) =>
    rows.reduce((sum, row) => sum + (shownOf(row) === null ? 0 : of(shownOf(row)!)), 0) / rows.length;
  // The check takes from what the generator alone says; what both show is taken from what the gate lets through.
  const source = arm === 'check' ? 'alone' : arm === 'both' ? 'gate' : arm;
  const said = rows.flatMap((row) =>
    (row.arms[source]?.sentences ?? []).map((sentence) => ({
      ...sentence,
      group: groupOf(row),
      shown: shownOf(row)?.sentences.find((one) => one.text === sentence.text)?.shown ?? false,
      supported: labels.get(sentenceKey(row.set, row.id, sentence.text)),
    })),
  );
  const shown = said.filter((sentence) => sentence.shown && sentence.label !== 'unverifiable');
  const part = <T>(items: readonly T[], so: (item: T) => boolean) =>
    items.length === 0 ? null : items.filter(so).length / items.length;
  const labelled = said.filter(
    (sentence) => sentence.supported !== undefined && sentence.label !== 'unverifiable',
  );
  const seen = labelled.filter((sentence) => sentence.shown);
  const unsupported = (items: readonly (typeof seen)[number][]) =>
    part(items, (sentence) => sentence.supported === false);
  return {
    set,
    arm,
    n: rows.length,
    answered: rows.filter((row) => shownOf(row) !== null).length / rows.length,
    f1: {
      value: f1Of(answerable),
      interval: bootstrapInterval(grouped(answerable, groupOf), f1Of),
    },
    holdsAnswer: figure(answerable, holds),
    wrong: figure(answerable, (row) => shownOf(row) !== null && !holds(row)),
    inVain: figure(
      rows.filter((row) => !row.answerable),
      (row) => shownOf(row) !== null,
    ),
    promptTokens: mean(({ promptTokens }) => promptTokens),
    generatedTokens: mean(({ generatedTokens }) => generatedTokens),
    requests: mean(({ requests }) => requests),
    sentences: shown.length,
    unsupportedByVerify: part(shown, ({ label }) => label !== 'supported'),
    cited: part(shown, ({ cited }) => cited),
    citesRightly: part(
      shown.filter(({ cited }) => cited),
      ({ citesRightly }) => citesRightly,
    ),
    labelled: seen.length,
    unsupported: {
      value: unsupported(seen),
      interval: bootstrapInterval(
        grouped(seen, ({ group }) => group),
        unsupported,
      ),
    },
    supportedLost: part(
      labelled.filter((sentence) => sentence.supported === true),
      (sentence) => !sentence.shown,
    ),
  };
}

const EVENLY = { alpha: 1 / 3, beta: 1 / 3, gamma: 1 / 3 };

/** Ranks, ties sharing their mean: what two signals of unlike scales are added by. */
function ranksOf(values: readonly (number | null)[]): number[] {
  const known = values.map((value) => value ?? Number.POSITIVE_INFINITY);
  return known.map((value) => {
    const below = known.filter((other) => other < value).length;
    const same = known.filter((other) => other === value).length;
    return (below + (same - 1) / 2) / known.length;
  });
}

function rankingReport(set: string, rows: readonly Row[]): RankingReport {
  const em = rows.map((row) => exactMatch(row.short, row.answers) ?? 0);
  const f1 = rows.map((row) => answerF1(row.short, row.answers) ?? 0);
  const U = rows.map((row) => row.U);
  const entropy = rows.map((row) => row.samples.semanticEntropy);
  const disagreement = rows.map(({ samples }) => (samples.agreement === null ? null : 1 - samples.agreement));
  const [byU, byEntropy] = [ranksOf(U), ranksOf(entropy)];
  const ours = rows.map(({ signals }) => signals.D);
  const theirs = rows.map(({ branches: { answers } }) =>
    answers.agreement === null ? null : 1 - answers.agreement,
  );
  const sums = (D: readonly (number | null)[]) =>
    rows.map(({ signals: { C, E } }, i) => uncertainty({ D: D[i]!, C, E }, EVENLY));
  const signals: [string, (number | null)[]][] = [
    ['U', U],
    ['semantic entropy', entropy],
    ['1 - agreement', disagreement],
    ['U and semantic entropy, ranks', byU.map((rank, i) => (rank + byEntropy[i]!) / 2)],
    ['D', ours],
    ['D by generator', theirs],
    ['sum', sums(ours)],
    ['sum, D by generator', sums(theirs)],
  ];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    set,
    n: rows.length,
    em: mean(em),
    f1: mean(f1),
    tokens: {
      samples: mean(rows.map(({ sampleTokens }) => sampleTokens)),
      branches: mean(rows.map(({ branches }) => branches.promptTokens + branches.generatedTokens)),
    },
    signals: signals.map(([signal, values]) => {
      const ranked = (loss: readonly number[], by = values) =>
        by.map((uncertainty, i) => ({ uncertainty, loss: loss[i]! }));
      const wrong = em.map((each) => 1 - each);
      const at80 = (right: readonly number[]) =>
        1 - riskAtCoverage(ranked(right.map((each) => 1 - each)), 0.8)!.risk;
      const byU = ranked(wrong, U);
      const paired = ranked(wrong).map((own, i) => ({ group: rows[i]!.group, a: own, b: byU[i]! }));
      const { a, difference, interval } = contrastOfAreas(paired, 0.8).AURC;
      return {
        signal,
        emAt80: at80(em),
        f1At80: at80(f1),
        aurc: a!,
        difference: signal === 'U' ? { value: null, interval: null } : { value: difference, interval },
      };
    }),
  };
}

function timings(rows: readonly Row[]): GenerationReport['ms'] {
  if (rows.length === 0) return null;
  const median = (values: readonly number[]) => quantilesOf(values, [0.5])![0]!;
  const some = rows.filter(({ ms }) => ms.verifiedSentences > 0);
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const later = rows.flatMap(({ ms }) =>
    ms.first === null || ms.firstVerified === null ? [] : [ms.firstVerified - ms.first],
  );
  return {
    decide: median(rows.map(({ ms }) => ms.decide)),
    generate: median(rows.map(({ ms }) => ms.generate)),
    verifyASentence: some.length === 0 ? 0 : median(some.map(({ ms }) => ms.verify / ms.verifiedSentences)),
    verifyShare: sum(({ ms }) => ms.verify) / sum(({ ms }) => ms.decide + ms.generate + ms.verify),
    later: later.length === 0 ? null : median(later),
  };
}
