import { contentStems, shareHeld } from './words.ts';

/** A condition that a rule text names: UTF-16 offsets into that text, `text` being exactly that slice. */
export interface Condition {
  text: string;
  start: number;
  end: number;
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

/** Whether a question is about the asker's own case, so that the answer may depend on what the asker is or does. */
export function asksOwnCase(query: string): boolean {
  return OWN_CASE.test(query.slice(0, 1_000));
}

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
  let open = false;
  for (const line of text.split('\n')) {
    const bullet = BULLET.exec(line);
    if (bullet !== null && open) {
      const start = at + bullet[0].length;
      const end = at + line.trimEnd().length;
      if (end > start) yield { text: text.slice(start, end), start, end };
    } else if (line.trim() !== '') open = LEAD.test(line);
    at += line.length + 1;
  }
}

/** Those conditions that nothing in `said` (query and history) speaks of. */
export function openConditions(conditions: readonly Condition[], said: string): Condition[] {
  const spoken = contentStems(said.slice(0, 20_000));
  return conditions.filter(({ text }) => {
    const stems = contentStems(text);
    return stems.size > 0 && shareHeld(stems, spoken) < SPOKEN_OF;
  });
}
