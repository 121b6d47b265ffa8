import { oneLine } from '../../common/index.ts';
import { mentionsIn } from './mentions.ts';
import type { Constraint } from './record.ts';

const MOST_CHARS = 2_000;
const MOST = 8;

const NUMBER =
  '(?:[\\p{Sc}]?[0-9][0-9.,]{0,15}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|fifty|hundred)';
const WHEN =
  '(?:[0-9]{4}|[0-9]{1,2} )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|last|this|next|the|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|fall|winter|today|yesterday|tomorrow|now|[0-9])';
/** A few words up to a comma, a stop or the end. */
const REST = '[^,.;:?!\\n]{1,80}';

/** In the order in which they are tried; a stretch belongs to the first that takes it. */
const PATTERNS: readonly (readonly [Constraint['kind'], RegExp])[] = [
  ['source', new RegExp(`\\b(?:according to|as stated in|as per|in the words of)\\s${REST}`, 'giu')],
  ['condition', new RegExp(`\\b(?:if|unless|provided that|assuming|in case|as long as)\\s${REST}`, 'giu')],
  [
    'exclusion',
    new RegExp(
      `\\b(?:except(?: for)?|excluding|without|other than|apart from|but not|not in)\\s${REST}`,
      'giu',
    ),
  ],
  [
    'quantity',
    new RegExp(
      `\\b(?:(?:more|less|fewer|larger|smaller|older|younger|higher|lower|longer|shorter) than|at least|at most|up to|no more than|over|under|above|below|exactly|within)\\s${NUMBER}(?:\\s?%|\\s[\\p{L}]{1,20})?`,
      'giu',
    ),
  ],
  [
    'time',
    new RegExp(
      `\\b(?:in|on|at|since|before|after|until|till|by|during|between|from|as of)\\s(?=${WHEN})[^,.;:?!\\n]{1,40}?(?=[,.;:?!\\n]|\\s(?:about|is|are|was|were|did|do|does|has|have|had|will|can|in|on|at|of|for|the|and|or|to|by)\\b|$)`,
      'giu',
    ),
  ],
  [
    'time',
    /\b(?:currently|nowadays|today|yesterday|tomorrow|at present|right now|this (?:week|month|year)|(?:last|next) (?:week|month|year|spring|summer|autumn|winter))\b/giu,
  ],
  [
    'place',
    /(?:^|\s)((?:in|at|near|within|outside|inside) \p{Lu}[\p{L}\p{M}'’-]{1,40}(?: \p{Lu}[\p{L}\p{M}'’-]{1,40}){0,3})/gu,
  ],
  [
    'order',
    /\b(?:latest|newest|most recent|current|oldest|earliest|previous|original|highest|lowest|largest|smallest|longest|shortest|cheapest|best|worst)\b/giu,
  ],
];

/**
 * C of Eq. 1: what restricts the answer, in the query's own words, in reading order; at most 8. English patterns over
 * the first 2,000 units, each with bounded repeats.
 */
export function constraintsIn(query: string): Constraint[] {
  const read = query.slice(0, MOST_CHARS);
  const found: (Constraint & { start: number; end: number })[] = [];
  for (const [kind, pattern] of PATTERNS) {
    for (const match of read.matchAll(pattern)) {
      const text = (match[1] ?? match[0]).trim();
      const start = read.indexOf(text, match.index);
      const end = start + text.length;
      if (found.some((f) => start < f.end && f.start < end)) continue;
      found.push({ kind, text: oneLine(text), start, end });
    }
  }
  for (const { kind, text, start, end } of mentionsIn(read)) {
    const free = !found.some((f) => start < f.end && f.start < end);
    if (kind === 'date' && free) found.push({ kind: 'time', text: oneLine(text), start, end });
  }
  return found
    .sort((a, b) => a.start - b.start)
    .slice(0, MOST)
    .map(({ kind, text }) => ({ kind, text }));
}
