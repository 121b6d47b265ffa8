import { quoted } from '../../common/index.ts';
import { abstains, notes } from './found.ts';
import type { LayerSettings } from './settings.ts';
import { topics } from './suggestions.ts';
import type { Held, Instruction, Layer, Suspect } from './types.ts';

const ORDER = String.raw`(?<!\b(?:not|never) |n['\u2019]t )\b(?:ignore|disregard|forget|override|bypass)\b`;

/**
 * Text that talks to a machine. Each pattern is bounded, so that it stays linear, and asks for two things at once (an
 * order and what it is about), because documents about such text, and manuals full of orders, are innocent.
 */
const PATTERNS: readonly [name: string, pattern: RegExp][] = [
  // What stands before or above, whatever it is; all or other instructions; all other sources; all that is above.
  // Traffic rules, documents for an appointment and a password that one may forget are none of these.
  ...[
    String.raw`\b(?:previous|prior|above|earlier|preceding|context)\b(?:[^.!?\n]{0,30}\b(?:instructions?|prompts?|context|rules|guidelines|directions?|passages|documents|sources)\b|\s+above\b)`,
    String.raw`\b(?:all|any|your)(?: of)?(?: (?:the|these|those|your|my|our|other|system|initial|original|given)){0,2} (?:instructions?|prompts?|guidelines?|directions?)\b`,
    String.raw`\b(?:all|any|the) other (?:context|passages|documents|sources|text)\b`,
    String.raw`\b(?:all|everything|anything|the text) above\b`,
  ].map((what): [string, RegExp] => [
    'an order to forget other text',
    new RegExp(`${ORDER}[^.!?\\n]{0,30}?${what}`, 'i'),
  ]),
  [
    'a role for the reader',
    /\byou (?:must |will |should )?(?:are|act as|be|become) (?:now )?(?:an? )?(?:[a-z-]{1,20} ){0,2}(?:ai|assistant|language model|chatbot|llm)\b|\bas an? (?:ai (?:assistant|model|language model)|language model|chatbot)\b[^.!?\n]{0,40}\b(?:you|must|should)\b|\bpretend that you are\b/i,
  ],
  [
    'an answer that is dictated',
    /\b(?:when|if|whenever)\b[^.!?\n]{0,60}\b(?:asked|asks?|question|query|prompted)\b[^.!?\n]{0,80}\b(?:(?:always|only|just|simply|must|please) (?:answer|say|reply|respond|output|print|state)|(?:answer|reply|respond) (?:with|that))\b/i,
  ],
  [
    'an answer that is dictated',
    /\b(?:[Pp]lease (?:output|answer|respond with|reply with|print|generate)|Output|Respond with|Reply with|Print|Generate)\s*:\s*["“'][^"”'\n]{1,200}["”']/,
  ],
  [
    'marks of a chat',
    /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>|^\s*#{2,3}\s*(?:system|instruction)s?\s*:/im,
  ],
  [
    'an order about secrets',
    /\b(?:reveal|print|show|repeat|leak|send)\b[^.!?\n]{0,30}\b(?:your|the) (?:system prompt|hidden (?:prompt|instructions)|initial instructions)\b/i,
  ],
];

/** Letters that nobody sees: Unicode tags, and a bidirectional override that hides what follows. */
const HIDDEN = /[\u{e0020}-\u{e007e}]{4,}|[\u202d\u202e\u2066-\u2068][^\u202c\u2069\n]{8,}/u;
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff\u00ad]/g;
const LONGEST = 20_000;

/** The first stretch of a text that talks to a machine instead of about its subject; null when there is none. */
function instructionIn(text: string): Instruction | null {
  const start = text.slice(0, LONGEST);
  const hidden = HIDDEN.exec(start);
  if (hidden !== null) return { kind: 'hidden characters', excerpt: '' };
  const seen = start.replace(INVISIBLE, '').normalize('NFKC');
  for (const [kind, pattern] of PATTERNS) {
    const match = pattern.exec(seen);
    if (match !== null) return { kind, excerpt: match[0] };
  }
  return null;
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
    const { text, passageId, docId, title, source } = passageOf(candidate);
    const found = instructionIn(`${title}\n${text}`);
    if (found === null) kept.push(candidate);
    else suspects.push({ passageId, docId, title, source, rank, ...found });
  }
  return { kept, suspects };
}

/** In words, which passages were left out and why; the first of them is named. */
function leftOut(suspects: readonly Suspect[]): string {
  const { excerpt, kind, source, ...first } = suspects[0]!;
  const where = `${quoted(topics([first])[0]!)} (${source})`;
  const what = excerpt === '' ? kind : `${kind}, ${quoted(excerpt)},`;
  const more = suspects.length > 1 ? `, as were ${suspects.length - 1} more` : '';
  return `A passage of ${where} holds ${what} and was left out${more}.`;
}

/**
 * Poisoned evidence: passages that `withoutInstructions` left out. Where nothing else was found this is the reason for
 * which nothing is answered; otherwise it is said beside whatever is decided on the rest.
 */
export const poisoned: Layer = ({ suspects, evidence }) => {
  if (suspects.length === 0) return null;
  const measured = suspects.length;
  if (evidence.length > 0) return notes('poisoned', 'CAVEAT', leftOut(suspects), { measured });
  const message = `${leftOut(suspects)} Nothing else was found.`;
  return abstains('poisoned', 'POISONED_EVIDENCE', message, { measured });
};
