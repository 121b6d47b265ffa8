import { loadPoisonDetector, type PoisonDetector } from '../poison/index.ts';
import type { LayerSettings } from './settings.ts';
import type { Held, Instruction, Suspect } from './types.ts';

/** Marks by which chat programs part what a machine is told from what it is asked. */
const CHAT_MARKS =
  /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>|^\s*#{2,3}\s*(?:system|instruction)s?\s*:/im;

const END = String.raw`(?=\s*(?:[.!,;:]|and\b|$))`;
/**
 * The stock phrase, whole: "Ignore all previous instructions." What goes on ("… supplied with the old filter") may be
 * said to people. The detector cannot know it, since texts about such phrases quote it.
 */
const STOCK_PHRASE = new RegExp(
  String.raw`(?<!\b(?:not|never) |n['’]t )\b(?:ignore|disregard|forget|override) (?:(?:(?:all|any|of|the|your|my|these|previous|prior|above|earlier|preceding|original|initial|system) ){1,5}(?:instructions?|prompts?|guidelines|context)(?: above)?|(?:everything|all) above)${END}`,
  'i',
);

/** Letters that nobody sees: Unicode tags (those of a flag aside), and a bidirectional override that hides what follows. */
const HIDDEN =
  /(?<!\u{1f3f4})(?<![\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007e}]{4,}|[\u202d\u202e\u2066-\u2068][^\u202c\u2069\n]{8,}/u;
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff\u00ad]/g;
const LONGEST = 20_000;
/** Characters of what is shown of it. */
const EXCERPT = 120;

let shipped: PoisonDetector | undefined;
function shippedDetector(): PoisonDetector {
  shipped ??= loadPoisonDetector();
  return shipped;
}

/**
 * The first stretch of a text that talks to a machine instead of about its subject; null when there is none. By patterns,
 * and by a detector: default the shipped one.
 */
export function addressesMachine(text: string, detector = shippedDetector()): Instruction | null {
  const start = text.slice(0, LONGEST);
  const hidden = HIDDEN.exec(start);
  if (hidden !== null) return { kind: 'hidden characters', excerpt: '' };
  const seen = start.replace(INVISIBLE, '').normalize('NFKC');
  const marks = CHAT_MARKS.exec(seen);
  if (marks !== null) return { kind: 'marks of a chat', excerpt: marks[0] };
  const stock = STOCK_PHRASE.exec(seen);
  if (stock !== null) return { kind: 'an order to forget other text', excerpt: stock[0] };
  const found = detector.find(seen);
  return found === null ? null : { kind: 'what talks to a machine', excerpt: found.text.slice(0, EXCERPT) };
}

/** Passages of an index come up again and again: each is looked at once. */
const looked = new WeakMap<Held, Instruction | null>();
function foundIn(passage: Held): Instruction | null {
  let found = looked.get(passage);
  if (found === undefined) {
    found = addressesMachine(`${passage.title}\n${passage.text}`);
    looked.set(passage, found);
  }
  return found;
}

/**
 * Candidates without those whose passage talks to a machine, which are evidence neither for nor against anything; all
 * of them where the layer is off. `suspects`, in the order of the candidates, is what the layer names.
 */
export function withoutInstructions<T>(
  candidates: readonly T[],
  passageOf: (candidate: T) => Held,
  { poisoned: { on } }: LayerSettings,
): { kept: readonly T[]; suspects: Suspect[] } {
  if (!on) return { kept: candidates, suspects: [] };
  const kept: T[] = [];
  const suspects: Suspect[] = [];
  for (const [rank, candidate] of candidates.entries()) {
    const passage = passageOf(candidate);
    const { passageId, docId, title, source } = passage;
    const found = foundIn(passage);
    if (found === null) kept.push(candidate);
    else suspects.push({ passageId, docId, title, source, rank, ...found });
  }
  return { kept, suspects };
}
