import { z } from 'zod';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { SegmentSource } from '../types.ts';
import { DECLARED_EXAMPLE } from './declared-text.ts';
import { type Pattern, readPattern } from './pattern.ts';
import { scan } from './scan.ts';
import { WORD_FAMILIES } from './vocabulary.ts';

/** Name of the block in the index folder. */
export const DECLARED_SEGMENT = 'identifiers.declared';

const MOST = 50;

/**
 * What the owner of the documents says are identifiers: believed however few of them the documents name. A family is
 * what stands before the number ("BR", "lot"), a pattern a whole form, see `readPattern`.
 */
const DeclaredIdentifiers = z.strictObject({
  families: z
    .array(
      z
        .string()
        .max(40)
        .transform((name, context) => checked(name, context, canonicalFamily)),
    )
    .max(MOST)
    .default([]),
  patterns: z
    .array(
      z
        .string()
        .max(40)
        .transform((text, context) => checked(text, context, (each) => readPattern(each).text)),
    )
    .max(MOST)
    .default([]),
});
export type DeclaredIdentifiers = z.infer<typeof DeclaredIdentifiers>;

export const NOTHING_DECLARED: DeclaredIdentifiers = { families: [], patterns: [] };

/** A declaration in canonical form. Throws CONFIGURATION naming the entry that does not fit. */
export function checkedDeclaration(value: unknown): DeclaredIdentifiers {
  const parsed = DeclaredIdentifiers.safeParse(value);
  if (parsed.success) {
    const { families, patterns } = parsed.data;
    const first = families.filter((name, i) => families.findIndex((one) => same(one, name)) === i);
    return { families: first, patterns: [...new Set(patterns)] };
  }
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `, ${issue.path.join('.')}` : '';
  throw new PragauraError('CONFIGURATION', `Declared identifiers${where}: ${issue?.message}`, {
    hint: `For example ${DECLARED_EXAMPLE}; # is a digit, @ a letter, + behind them one or more.`,
    cause: parsed.error,
  });
}

/** The block of a declaration, which queries are read by as well. */
export function declarationBlock(declared: DeclaredIdentifiers): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(declared));
}

/** The declaration that an index holds. Throws INDEX_UNUSABLE when the block is not in that form. */
export function declarationIn(source: SegmentSource): DeclaredIdentifiers {
  const bytes = source.segment(DECLARED_SEGMENT);
  try {
    return checkedDeclaration(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch (cause) {
    throw new PragauraError('INDEX_UNUSABLE', "The index's declared identifiers are damaged.", {
      hint: 'Build the index again with: pragaura index PATH... --out DIR --identifiers FILE',
      cause,
    });
  }
}

/** Patterns as the scanner takes them. */
export function patternsOf({ patterns }: DeclaredIdentifiers): Pattern[] {
  return patterns.map(readPattern);
}

const WORDS: ReadonlySet<string> = new Set(WORD_FAMILIES.values());

/** Declared families by the name that the scanner gives them, with the spelling that their owner does. */
export function spellingsOf({ families }: DeclaredIdentifiers): Map<string, string> {
  return new Map(families.map((name) => [WORDS.has(name) ? name : name.toUpperCase(), name]));
}

function same(a: string, b: string): boolean {
  return a.toUpperCase() === b.toUpperCase();
}

/**
 * A code as its owner spells it, a word that the scanner knows by the name of its family ("clause" is "section"). What
 * the scanner makes of a member is the one check that cannot disagree with it.
 */
function canonicalFamily(name: string): string {
  for (const member of [`${name}-7`, `${name} 7`, `${name}-AB`]) {
    const whole = scan(member).find(
      ({ family, kind, start, end }) =>
        start === 0 && end === member.length && (kind === 'word' || family === name.toUpperCase()),
    );
    if (whole !== undefined) return whole.kind === 'word' ? whole.family : name;
  }
  throw new Error('is no word or code of up to 16 letters that stands before a number; say it as a pattern');
}

function checked(text: string, context: z.RefinementCtx, read: (text: string) => string): string {
  try {
    return read(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${messageOf(error)}` });
    return z.NEVER;
  }
}
