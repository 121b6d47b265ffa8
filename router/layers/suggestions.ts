import { oneLine } from '../../common/index.ts';
import { editDistance, fileTitle } from '../../corpus/index.ts';
import type { SignalReport } from '../../scorers/index.ts';
import type { Evidence } from '../contracts.ts';
import { sameKind } from './kinds.ts';

const MOST = 3;
/** Characters of how a passage begins. */
const BEGINNING = 72;

/** Up to three different texts that are not empty, on one line each and cut at 160 characters. */
export function upToThree(texts: Iterable<string>): string[] {
  const kept = new Set<string>();
  for (const text of texts) {
    const line = oneLine(text);
    if (line !== '') kept.add(line);
    if (kept.size === MOST) break;
  }
  return [...kept];
}

/** What a passage is called: its title and headings, else where it stands. */
export function nameOf({ title, docId }: Pick<Evidence, 'title' | 'docId'>): string {
  return upToThree([title, docId])[0]!;
}

/** What the nearest passages are about: their titles and headings, or how they begin where their title is their file's name. */
export function topics(evidence: readonly Pick<Evidence, 'title' | 'docId' | 'text'>[]): string[] {
  return upToThree(
    evidence.map((passage) =>
      isTitled(passage) ? passage.title : beginning(passage.text) || nameOf(passage),
    ),
  );
}

function isTitled({ title, docId }: Pick<Evidence, 'title' | 'docId'>): boolean {
  return title.trim() !== '' && title !== fileTitle(docId);
}

/** The first words of a text, its first sentence at most. */
function beginning(text: string): string {
  const line = oneLine(text).replace(/^(?:[-*•>]|\d{1,3}[.)])\s+/, '');
  const sentence = /^.{8,}?[.!?](?=\s)/.exec(line)?.[0] ?? line;
  if (sentence.length <= BEGINNING) return sentence;
  const cut = sentence.slice(0, BEGINNING).replace(/\s+\S*$/, '');
  return `${cut.replace(/[\s\p{P}]+$/u, '')} …`;
}

/** The chosen answer and those of its kind that stand against it. One alone is no choice. */
export function choices(chosen: string, rivals: SignalReport['rivals']): string[] {
  return upToThree([chosen, ...rivals.map(({ text }) => text).filter((text) => sameKind(chosen, text))]);
}

/** Words that nobody means to look up, and greetings, which are no slips of anything. */
const NEVER_MEANT = new Set(
  (
    'about after also been before being both could does done each even ever every from have having hello here hers ' +
    'hiya into just less like many more most much must never none once only ours over please same shall should ' +
    'since some such than thank thanks that their theirs them then there these they this those though thus under ' +
    'until upon very want well were what when where whether which while whom whose will with within without would ' +
    'your yours bonjour cheers goodbye greetings hallo morning'
  ).split(' '),
);

/** Words with fewer letters that begin otherwise are other words: "lock" is no slip of "dock". */
const SHORT = 6;

/** Words of the nearest passages that an unknown word may be a slip of: one slip, two in words of eight letters. */
export function similarWords(unknown: readonly string[], evidence: readonly Evidence[]): string[] {
  const words = new Set<string>();
  for (const { title, text } of evidence.slice(0, 20)) {
    for (const word of `${title} ${text.slice(0, 4000)}`.toLowerCase().match(/[\p{L}\p{M}]{4,40}/gu) ?? []) {
      if (!NEVER_MEANT.has(word)) words.add(word);
    }
  }
  const found: { word: string; slips: number }[] = [];
  for (const term of unknown) {
    const lower = term.toLowerCase();
    const limit = lower.length >= 8 ? 2 : lower.length >= 4 ? 1 : 0;
    if (limit === 0 || lower.length > 40 || NEVER_MEANT.has(lower)) continue;
    for (const word of words) {
      if (lower.length < SHORT && word[0] !== lower[0]) continue;
      const slips = editDistance(lower, word, limit);
      if (slips <= limit && slips > 0) found.push({ word, slips });
    }
  }
  found.sort((a, b) => a.slips - b.slips || (a.word < b.word ? -1 : 1));
  return upToThree(found.map(({ word }) => word));
}
