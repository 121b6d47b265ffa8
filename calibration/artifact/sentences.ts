/** What is promised, in plain words: about which queries, on what grounds, and what is not promised. */
import type { Act } from '../../profiles/index.ts';
import type { ActThreshold, Pool, PoolActs } from '../thresholds/types.ts';
import type { CalibrationArtifact } from './schema.ts';

type Head = Pick<
  CalibrationArtifact,
  'target' | 'scope' | 'level' | 'delta' | 'askLevel' | 'wrong' | 'exchangeable'
> & {
  score: Pick<CalibrationArtifact['score'], 'kind'>;
  /** Whether a planner is known to have seen none of what sets and tests the thresholds. */
  unseen?: boolean | undefined;
};

type Means = { n: number; share: number | null } | null;

/** What a promise says of its pool; a pool of thresholds and one of an artifact have it alike. */
interface Earned {
  acts: PoolActs;
  coverage?: { n: number; k: number; ties: number; documents: Means } | undefined;
  risk?:
    | {
        n: number;
        unlabelled: number;
        answered: number;
        wrong: number;
        documents: (NonNullable<Means> & { answered: number }) | null;
      }
    | undefined;
}

/** The promise of the whole artifact. `unasked`: acts that are answered, but of whose silence nothing is promised. */
export function wholeSentence(
  head: Head,
  calibrated: readonly Act[],
  silent: readonly Act[],
  unasked: readonly Act[] = [],
): string {
  const rests =
    head.exchangeable === 'documents'
      ? 'It is about a question of a new document, every document counting alike, and rests on documents that stand ' +
        'for those to come and are independent of each other: with other kinds of documents, or other askers, it no longer holds.'
      : 'It rests on examples that stand for the queries to come and are counted as independent of each other: ' +
        'other documents, other askers, and it no longer holds.';
  const none = silent.length === 0 ? '' : ` Nothing is promised, and nothing answered, for ${list(silent)}.`;
  if (calibrated.length === 0) {
    return `NOT_CALIBRATED: no threshold reaches ${goal(head)} for any act, and nothing is answered.`;
  }
  const each =
    head.scope === 'global' ? 'over all queries together' : 'act by act as the sentence of each says';
  const open = unasked.length === 0 ? '' : ` Nothing is promised about silence for ${list(unasked)}.`;
  return [
    `${opening(head)}${goal(head)}, ${each}.${none}${open}`,
    rests,
    ...(head.scope === 'global' ? [] : [BY_FORM]),
    ...fittedBefore(head),
    RESTRICTED,
  ].join(' ');
}

const BY_FORM = 'A query whose words ask for the form of another act counts as that.';

/** The router withholds the promise for these, and no example with one of them set a threshold. */
const RESTRICTED =
  'For queries with a history, filters or a deadline, or with a default put into them, nothing is promised.';

/** Where a planner does not say what it was fitted on, nothing here could tell that its U is too good on these labels. */
function fittedBefore({ score, unseen = false }: Head): string[] {
  return score.kind === 'planner' && !unseen
    ? ['It holds only if the planner was not fitted on the labelled queries of this calibration.']
    : [];
}

/** The promise for queries that are read as this act. */
export function actSentence(head: Head, act: Act, found: ActThreshold): string {
  const main = found.tau === null ? noThreshold(head, act, found) : threshold(head, act, found);
  return head.target === 'joint' ? `${main} ${askSentence(head, act, found)}` : main;
}

/** What acts get that borrow one pool's threshold, said once for all of them. */
export function borrowedSentence(head: Head, acts: readonly Act[], pool: Earned, tau: number): string {
  return (
    `${list(acts)} ${acts.length === 1 ? 'borrows' : 'borrow'} the threshold of ${queries(pool.acts)}. Were each of those ` +
    `held to it: ${decapitalised(promise(head, pool, `U <= ${inWords(tau)}`))} For ` +
    `${acts.length === 1 ? 'it' : 'each of them'} alone nothing is promised.`
  );
}

function threshold(head: Head, act: Act, { rung, tau, own, pool }: ActThreshold): string {
  const bar = `U <= ${inWords(tau!)}`;
  if (rung === 'act') return `${promise(head, own, bar)} ${qualification(head)}`;
  const alone = `For ${queries([act])} alone nothing is promised. ${qualification(head)}`;
  if (head.scope === 'global')
    return `One threshold for every act: ${decapitalised(promise(head, pool!, bar))} ${alone}`;
  return (
    `${act} has no threshold of its own (${shortage(head, own)}) and borrows that of ${queries(pool!.acts)}. ` +
    `Were each of those held to it: ${decapitalised(promise(head, pool!, bar))} ` +
    alone
  );
}

function promise(head: Head, pool: Earned, bar: string): string {
  if (head.target === 'coverage') {
    const { n, k, ties, documents } = pool.coverage!;
    if (documents !== null) {
      return (
        `Of ${queries(pool.acts, 'new')} at least ${percent(head.level)} are answered, on average over calibrations and ` +
        `${NEW_DOCUMENTS}: ${bar} answered ${inPercent(documents.share!)} of the ${n} examples of ${documents.n} ` +
        'documents, on average over these.'
      );
    }
    const tied = ties === 0 ? '' : ` (${ties} more have exactly that U, so that it is rather more)`;
    return (
      `Of ${queries(pool.acts, 'new')} at least ${percent(head.level)} are answered, on average over calibrations: ` +
      `${bar} answered ${k} of the ${n} examples${tied}.`
    );
  }
  const { n, unlabelled, answered, wrong, documents } = pool.risk!;
  const unknown =
    unlabelled === 0 ? '' : `; that the ${unlabelled} without a label are like them is taken for granted`;
  if (documents !== null) {
    return (
      `${confidence(head)} at most ${percent(head.level)} of the answers to ${queries(pool.acts, 'new')} are wrong ` +
      `(${ruleInWords(head)}), on average over ${NEW_DOCUMENTS}: ${bar} answered ${answered} of the ${n} labelled ` +
      `examples, and on average over the ${documents.answered} documents with an answer ${inPercent(documents.share!)} ` +
      `of their answers were wrong${unknown}.`
    );
  }
  return (
    `${confidence(head)} at most ${percent(head.level)} of the answers to ${queries(pool.acts, 'new')} are wrong ` +
    `(${ruleInWords(head)}): ${bar} answered ${answered} of the ${n} labelled examples, ${wrong} of them wrongly${unknown}.`
  );
}

const NEW_DOCUMENTS = 'new documents, each of which counts alike';

/** A share as a person reads it. */
function inPercent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

function qualification(head: Head): string {
  const about =
    head.target === 'coverage'
      ? 'It says how often is answered, and nothing about how often rightly.'
      : 'It says how often answers are wrong, and nothing about how many are given.';
  return [about, ...fittedBefore(head)].join(' ');
}

function noThreshold(head: Head, act: Act, { own, vetoed }: ActThreshold): string {
  const passed =
    vetoed.length === 0
      ? ''
      : ` A wider pool has a threshold, but ${act}'s own examples speak against it, so that it is not borrowed.`;
  return (
    `NOT_CALIBRATED: no threshold reaches ${goal(head)} for ${queries([act])}, and nothing is answered: ` +
    `${shortage(head, own)}.${passed}`
  );
}

/** Why a pool has no threshold, and what would mend it. */
function shortage(head: Head, pool: Pool): string {
  if (head.target === 'coverage') {
    const { n, why, needed, open, documents } = pool.coverage!;
    if (why === 'gates') return `gates that close whatever U is leave at most ${open} of ${n} answered`;
    return `${examples(n, documents)}, and ${more(needed, documents)}`;
  }
  const { n, why, answered, wrong, floor, needed, documents } = pool.risk!;
  if (why === 'too-few' || why === 'gates') {
    const least =
      documents === null
        ? `${floor} answered without an error are the least that could do`
        : `${floor} documents with answers and without an error are the least that could do`;
    return `${examples(n, documents)}, and ${least}; ${more(needed, documents)}`;
  }
  if (why === 'untried') {
    return `${examples(n, documents)}, with which, by the tune split, no test would pass; ${more(needed, documents)}`;
  }
  if (documents === null)
    return `${wrong} of the ${answered} answered examples are wrong; ${more(needed, null)}`;
  return (
    `on average over the ${documents.answered} documents with an answer ${inPercent(documents.share ?? 0)} of the ` +
    `answers are wrong; ${more(needed, documents)}`
  );
}

function askSentence(head: Head, act: Act, { askUpTo, askRung, askPool, own }: ActThreshold): string {
  const level = percent(head.askLevel!);
  if (askUpTo === null) {
    const { n, needed, documents } = own.silence!;
    return (
      `When to ask rather than abstain is NOT_CALIBRATED: no bar keeps silence on answerable queries at ${level}; ` +
      `${examples(n, documents)} known to be answerable, ${more(needed, documents)}.`
    );
  }
  const { n, silent, documents } = askPool!.silence!;
  const borrowed =
    askRung === 'act' ? '' : ` (the pool's promise; for ${queries([act])} alone nothing is promised)`;
  const over = documents === null ? '' : `, on average over ${NEW_DOCUMENTS}`;
  return (
    `${confidence(head)} at most ${level} of ${queries(askPool!.acts, 'new')} that can be answered end in silence${over}${borrowed}: ` +
    `up to ${head.score.kind === 'planner' ? '(1 + P(ABSTAIN) - P(ASK)) / 2' : 'U'} = ${inWords(askUpTo)} is asked back, and ${silent} of ${n} such examples were left.`
  );
}

function goal(head: Head): string {
  if (head.target === 'coverage') return `answers to at least ${percent(head.level)} of the queries`;
  const risk = `at most ${percent(head.level)} wrong answers`;
  return head.target === 'risk'
    ? risk
    : `${risk} and at most ${percent(head.askLevel!)} silence on answerable queries`;
}

function opening(head: Head): string {
  return head.target === 'coverage' ? 'On average over calibrations: ' : `${confidence(head)} `;
}

/** The promises of all acts hold together with this confidence. */
function confidence({ delta }: Head): string {
  return `With ${percent(complement(delta!))} confidence, in all promises of this calibration at once,`;
}

function ruleInWords({ wrong }: Head): string {
  const words = wrong.kind === 'em' ? 'no exact match' : `F1 below ${wrong.least}`;
  return wrong.shown ? `${words}; by patterns, steps and verdict where labels have these` : words;
}

function queries(acts: PoolActs, kind = ''): string {
  const them = kind === '' ? 'queries' : `${kind} queries`;
  return acts === 'everything' ? `all ${them}` : `${them} read as ${list(acts, 'or')}`;
}

function examples(n: number, documents: { n: number } | null): string {
  const there = n === 1 ? 'there is 1 example' : `there are ${n} examples`;
  return documents === null
    ? there
    : `${there} of ${documents.n} ${documents.n === 1 ? 'document' : 'documents'}`;
}

/** `documents`: not null where these are counted. */
function more(needed: number | null, documents: object | null): string {
  const what = documents === null ? 'examples' : 'documents';
  if (needed === null) return `at these rates no number of ${what} would do`;
  if (needed === 0) return 'no more are needed';
  return documents === null ? `${needed} more would be needed` : `${needed} more documents would be needed`;
}

function list(items: readonly string[], conjunction = 'and'): string {
  return items.length < 2
    ? items.join('')
    : `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}

/** Four digits are enough to read; what decides is the number itself. */
function inWords(U: number): string {
  return String(Number(U.toPrecision(4)));
}

function decapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** "0.055" as "5.5 %", digit by digit. */
export function percent(level: string): string {
  const digits = level.replace(/^0?\./, '').padEnd(2, '0');
  const whole = digits.slice(0, 2).replace(/^0/, '');
  const rest = digits.slice(2).replace(/0+$/, '');
  return `${whole}${rest === '' ? '' : `.${rest}`} %`;
}

/** 1 - level, digit by digit. */
export function complement(level: string): string {
  const digits = level.replace(/^0?\./, '');
  const left = 10n ** BigInt(digits.length) - BigInt(digits);
  return `0.${left.toString().padStart(digits.length, '0')}`;
}
