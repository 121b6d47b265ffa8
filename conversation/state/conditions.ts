import { sentences } from '../../corpus/index.ts';
import { isYesNoQuestion } from '../../scorers/index.ts';
import { contentStems, shareHeld } from './words.ts';

/**
 * A condition that a rule text names: UTF-16 offsets into that text, `text` being exactly that slice. `rule`: an item's
 * list with the line that opens it.
 */
export interface Condition {
  text: string;
  start: number;
  end: number;
  rule?: { start: number; end: number };
}

const MOST_CHARS = 3_000;
const MOST = 8;
/** Share of a condition's content stems in what was said from which on it counts as spoken of. */
const SPOKEN_OF = 0.6;

const CUE = /\b(?:if|unless|provided that|as long as|only when|on condition that|in case)\s/giu;
/** A line that ends so opens a list of conditions. */
const LEAD =
  /\b(?:if|when|where|must|need|qualify|eligible|apply|applies|entitled|following|unless|either|both|any|all|one of|get|claim)\b[^\n]{0,120}:\s*$/iu;
const BULLET = /^\s*(?:[*•–-]|\(?[0-9a-z]{1,2}[.)])\s+/iu;
const OWN_CASE = /\b(?:i|i'm|i’m|my|me|mine|we|our|us)\b/iu;

/** "Am I entitled …?", "How much can I claim?": not "How do I …?", which wants steps, nor "What happens when I …?". */
const OF_ONESELF =
  /^(?:how (?:much|many|long|often|soon|old|far)|when|what (?:amount|rate|share))\b[^,]{0,60}?\b(?:(?:am|do|did|can|could|may|must|should|will|would|have|was) (?:i|we)|my|our)\b/iu;

/** Whether a question is about the asker's own case. */
export function asksOwnCase(query: string): boolean {
  return OWN_CASE.test(query.slice(0, 1_000));
}

/** Whether the answer to such a question may depend on what the asker is or does. */
export function dependsOnAsker(query: string): boolean {
  if (!asksOwnCase(query)) return false;
  const last = query
    .slice(0, 1_000)
    .trim()
    .split(/[.!?]\s+/)
    .at(-1)!;
  return isYesNoQuestion(last) || OF_ONESELF.test(last) || !QUESTION.test(last);
}

const QUESTION = /\b(?:what|which|who|whom|whose|where|why|how)\b/iu;

/** The conditions that a passage names: what follows "if", "unless" and the like, and the items of a list of them. */
export function conditionsIn(passage: string): Condition[] {
  const text = passage.slice(0, MOST_CHARS);
  const found = [...items(text)];
  for (const { 0: cue, index } of text.matchAll(CUE)) {
    const start = index + cue.length;
    const length = /^[^.;:,\n]{3,200}/u.exec(text.slice(start, start + 200))?.[0].trimEnd().length ?? 0;
    if (length > 0) found.push({ text: text.slice(start, start + length), start, end: start + length });
  }
  return found
    .sort((a, b) => a.start - b.start)
    .filter((one, i) => !found.slice(0, i).some(({ start, end }) => one.start < end && start < one.end))
    .slice(0, MOST);
}

function* items(text: string): Generator<Condition> {
  let at = 0;
  let open: { start: number; end: number } | null = null;
  for (const line of text.split('\n')) {
    const bullet = BULLET.exec(line);
    const stop = at + line.trimEnd().length;
    if (bullet !== null && open !== null) {
      const start = at + bullet[0].length;
      open.end = stop;
      if (stop > start) yield { text: text.slice(start, stop), start, end: stop, rule: open };
    } else if (line.trim() !== '') open = LEAD.test(line) ? { start: at, end: stop } : null;
    at += line.length + 1;
  }
}

/**
 * The conditions of a rule that belong to what is said of a query: they stand in the sentence that holds the answer's
 * span, in the one that shares most words with the query, or in a list that such a sentence opens or belongs to.
 */
export function conditionsOf(
  passage: string,
  query: string,
  span: { start: number; end: number } | null,
): Condition[] {
  const text = passage.slice(0, MOST_CHARS);
  const stems = contentStems(query.slice(0, 2_000));
  const all = sentences(text, 0, text.length);
  const shared = all.map(({ start, end }) => shareHeld(stems, contentStems(text.slice(start, end))));
  const nearest = shared.indexOf(Math.max(...shared));
  const spoken = all.filter(
    ({ start, end }, i) => i === nearest || (span !== null && start < span.end && span.start < end),
  );
  return conditionsIn(text).filter(({ start, end, rule }) =>
    spoken.some((one) => one.start < (rule?.end ?? end) && (rule?.start ?? start) < one.end),
  );
}

/** Those conditions that nothing in `said` (query and history) speaks of. */
export function openConditions(conditions: readonly Condition[], said: string): Condition[] {
  const spoken = contentStems(said.slice(0, 20_000));
  return conditions.filter(({ text }) => {
    const stems = contentStems(text);
    return stems.size > 0 && shareHeld(stems, spoken) < SPOKEN_OF;
  });
}
