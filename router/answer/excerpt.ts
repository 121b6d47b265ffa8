/** The words of a passage that answer best, from scored units, and how units are put together. Pure: nothing is generated. */
import { quoted, sigmoid } from '../../common/index.ts';
import type { Answer } from './record.ts';
import { quoteOf, sameList, textOf, type Unit, wordsIn } from './units.ts';

/** A unit with what the cross-encoder says of it alone: the logit of its being an answer to the question. */
export interface ScoredUnit extends Unit {
  logit: number;
}

/** What a form makes; the caller adds band and claim. */
export type Formed = Pick<Answer, 'form' | 'text' | 'quotes' | 'verdict' | 'cut'>;

/** Words that are shown at most, by form; beyond it whole units are left out, and of lists and entries `cut` says so. */
export const MOST_WORDS = {
  span: 12,
  definition: 60,
  explanation: 80,
  passage: 60,
  steps: 150,
  side: 45,
} as const;

/**
 * What a unit must be worth to be taken along, in sigmoids of half its logit. Set by hand, after a look at 50 open questions of
 * a television's manual and at the answers to the open halves on two others; not fitted.
 */
export const WORTH = { steps: 0.05, explanation: 0.1, passage: 0.1, definition: 0.1 } as const;

export function worth({ logit }: ScoredUnit): number {
  return sigmoid(logit / 2);
}

/**
 * The run of neighbouring units that answers best: around the best of them, the largest sum of what they are worth above
 * `least` each, of at most `words` words, never empty. Units in the order of their document, at least one.
 */
export function bestRun(units: readonly ScoredUnit[], least: number, words: number): ScoredUnit[] {
  const sizes = units.map((unit) => wordsIn(textOf(unit)));
  const top = units.reduce((a, unit, i) => (unit.logit > units[a]!.logit ? i : a), 0);
  let best = { sum: Number.NEGATIVE_INFINITY, from: top, to: top };
  for (let from = 0; from <= top; from += 1) {
    let sum = 0;
    let size = 0;
    for (let to = from; to < units.length; to += 1) {
      size += sizes[to]!;
      if (size > words && to > from) break;
      sum += worth(units[to]!) - least;
      if (to >= top && sum > best.sum) best = { sum, from, to };
    }
  }
  return withAnnounced(units, best.from, best.to, words);
}

/** A sentence that ends in a colon takes what it announces along; what is announced takes the sentence before it along. */
function withAnnounced(units: readonly ScoredUnit[], from: number, to: number, words: number): ScoredUnit[] {
  let [first, last] = [from, to];
  const before = units[first - 1];
  if (before !== undefined && (before.kind === 'term' || announces(before))) first -= 1;
  while (last + 1 < units.length && (announces(units[last]!) || units[last]!.kind === 'term')) {
    if (sizeOf(units.slice(first, last + 2)) > words) break;
    last += 1;
  }
  return units.slice(first, last + 1);
}

export function announces(unit: Unit): boolean {
  return /[:：]\s*$/u.test(textOf(unit));
}

/** Units put together as they are read: sentences of one paragraph on one line, all else on lines of its own. */
export function joined(units: readonly Unit[]): string {
  let text = '';
  for (const [i, unit] of units.entries()) {
    const before = units[i - 1];
    const shown = unit.kind === 'code' ? textOf(unit) : textOf(unit).replace(/\s+/g, ' ');
    if (before === undefined) text = shown;
    else if (before.kind === 'term') text += announces(before) ? ` ${shown}` : `: ${shown}`;
    else if (unit.kind === 'sentence' && before.kind === 'sentence' && unit.part === before.part)
      text += ` ${shown}`;
    else text += `\n${shown}`;
  }
  return text;
}

/** Share of what the best row is worth from which on another answers beside it. */
const ROW_SHARE = 0.8;

/**
 * The words of a passage that answer best, as they stand there. `onward`: of what goes on with it; `other`: of another passage
 * that is shown beside it.
 */
export function excerpt(
  form: 'explanation' | 'passage',
  own: readonly ScoredUnit[],
  onward: readonly ScoredUnit[] = [],
  other: readonly ScoredUnit[] = [],
): Formed {
  const rows = rowsWorth(own, MOST_WORDS[form]);
  const run = [...(rows ?? readOn(form, own, onward)), ...beside(form, other)];
  const unread = (unit: ScoredUnit) => unit.kind === 'row' && unit.logit === Number.NEGATIVE_INFINITY;
  const isPart = rows !== null && rows.length > 1 && own.some(unread);
  return {
    form,
    text: joined(run),
    quotes: run.map((unit) => quoteOf(unit, 'answer')),
    verdict: null,
    cut: isPart ? `The table in ${where(run[0]!)} has more rows than were looked at.` : null,
  };
}

/** Where a row answers best: it and those of its table that answer as well, in order. What lies between them does not. */
export function rowsWorth(units: readonly ScoredUnit[], words: number): ScoredUnit[] | null {
  const best = units.reduce((a, b) => (b.logit > a.logit ? b : a));
  if (best.kind !== 'row' || best.logit === Number.NEGATIVE_INFINITY) return null;
  const kept = new Set<ScoredUnit>();
  let sum = 0;
  for (const unit of [...units].sort((a, b) => b.logit - a.logit)) {
    if (unit.kind !== 'row' || !sameList(unit, best) || worth(unit) < ROW_SHARE * worth(best)) continue;
    sum += wordsIn(textOf(unit));
    if (kept.size > 0 && sum > words) break;
    kept.add(unit);
  }
  return units.filter((unit) => kept.has(unit));
}

/** Logits that a unit loses which only goes on with the passage that answers. */
const ONWARD = 1;

/** The best run, on into what follows where it reaches the end of its passage; or of what follows, where that answers better. */
function readOn(
  form: 'explanation' | 'passage',
  own: readonly ScoredUnit[],
  onward: readonly ScoredUnit[],
): ScoredUnit[] {
  const [least, most] = [WORTH[form], MOST_WORDS[form]];
  const highest = (some: readonly ScoredUnit[]) => Math.max(...some.map(({ logit }) => logit));
  if (highest(onward) - ONWARD > highest(own)) return bestRun([...own, ...onward], least, most);
  const run = bestRun(own, least, most);
  if (run.at(-1) !== own.at(-1)) return run;
  let words = sizeOf(run);
  for (const unit of onward) {
    words += wordsIn(textOf(unit));
    if (words > most || worth(unit) < least) break;
    run.push(unit);
  }
  return run;
}

/** The best run of another passage; none where it would be longer than what stands beside something may be. */
export function beside(form: keyof typeof WORTH, other: readonly ScoredUnit[]): ScoredUnit[] {
  if (other.length === 0) return [];
  const run = bestRun(other, WORTH[form], MOST_WORDS.side);
  return sizeOf(run) <= MOST_WORDS.side ? run : [];
}

/** Where a unit stands in its document. */
export function places({ source, start, end }: Unit): { start: number; end: number } {
  return { start: start + source.evidence.start, end: end + source.evidence.start };
}

export function sizeOf(units: readonly Unit[]): number {
  return units.reduce((sum, unit) => sum + wordsIn(textOf(unit)), 0);
}

export function where({ source: { evidence } }: Unit): string {
  return quoted(evidence.title === '' ? evidence.docId : evidence.title);
}
