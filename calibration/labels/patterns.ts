/** Regular expressions of labels, by an engine whose time is linear in the text: no expression can hang it. */
import { RE2JS } from 're2js';
import { messageOf } from '../../common/index.ts';

const FLAGS = RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL;
/** As the engine writes these before an expression that it complains of. */
const SHOWN_FLAGS = '(?s)(?i)';
const LONGEST = 2_000;
/** Expressions kept compiled; a stream of labels may have any number. */
const KEPT = 2_000;

const compiled = new Map<string, RE2JS>();

/** In words, why a text is no expression; null: it is one (RE2's syntax, no look-around and no back-references). */
export function problemOfPattern(pattern: string): string | null {
  if (pattern.trim() === '') return 'is empty';
  if (pattern.length > LONGEST) return `has more than ${LONGEST} characters`;
  try {
    expressionOf(pattern);
    return null;
  } catch (error) {
    return `is no regular expression: ${messageOf(error).replace(SHOWN_FLAGS, '')}`;
  }
}

/** Whether the expression is found somewhere in a text, case aside; "." is any character. Throws for what does not compile. */
export function patternFound(pattern: string, text: string): boolean {
  return expressionOf(pattern).matcher(text).find();
}

function expressionOf(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = RE2JS.compile(pattern, FLAGS);
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(pattern, made);
  return made;
}
