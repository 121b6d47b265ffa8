import { quoted, topics } from '../decision/suggestions.ts';
import { abstains, notes } from './found.ts';
import type { Layer } from './types.ts';

/**
 * Text that talks to a machine. Each pattern is bounded, so that it stays linear, and asks for two things at once (an
 * order and what it is about), because documents about such text, and manuals full of orders, are innocent.
 */
const PATTERNS: readonly [name: string, pattern: RegExp][] = [
  [
    'an order to forget other text',
    /(?<!\b(?:not|never|n't) )\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,30}\b(?:all|any|your|previous|prior|above|earlier|other|preceding|context)\b(?:[^.!?\n]{0,30}\b(?:instructions?|prompts?|context|rules|guidelines|directions?|passages|documents|sources)\b|\s+above\b)/i,
  ],
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
    /\b(?:please )?(?:output|answer|respond with|reply with|print|generate)\s*:\s*["“'][^"”'\n]{1,200}["”']/i,
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

export interface Instruction {
  kind: string;
  /** UTF-16 offsets into the text without its invisible characters. */
  excerpt: string;
}

/** The first stretch of a text that talks to a machine instead of about its subject; null when there is none. */
export function instructionIn(text: string): Instruction | null {
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
 * Poisoned evidence. Where the answer's own passage talks to a machine, nothing of it is trusted: abstain. Where another
 * passage found does, the answer stands and the record says so. Before there is an answer, all passages are looked at
 * and none closes.
 */
export const poisoned: Layer = ({ evidence, answers }) => {
  const suspects = evidence.flatMap((passage) => {
    const found = instructionIn(`${passage.title}\n${passage.text}`);
    return found === null ? [] : [{ passage, found }];
  });
  if (suspects.length === 0) return null;
  const voices = new Set(answers?.clusters[0]?.voices.map(({ key }) => key));
  const own = suspects.filter(({ passage }) => voices.has(passage.passageId));
  const [first] = own.length > 0 ? own : suspects;
  const { passage, found } = first!;
  const where = quoted(topics([passage])[0] ?? passage.docId);
  const what = found.excerpt === '' ? found.kind : `${found.kind}: ${quoted(found.excerpt)}`;
  const clean = voices.size > own.length;
  if (own.length === 0 || clean) {
    const message = `A passage of ${where} holds ${what}. The answer does not rest on it alone.`;
    return notes('poisoned', 'CAVEAT', message, { measured: suspects.length });
  }
  return abstains('poisoned', 'POISONED_EVIDENCE', `The passage of the answer, in ${where}, holds ${what}.`, {
    measured: suspects.length,
    suggestions: topics(evidence.filter((each) => suspects.every((suspect) => suspect.passage !== each))),
  });
};
