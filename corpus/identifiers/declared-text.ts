/** Declared identifiers in words, for help and reports: it loads nothing. */

/** What a declaration looks like, for those who got it wrong. */
export const DECLARED_EXAMPLE = '{"families": ["BR", "lot"], "patterns": ["INV-####-##", "#+/##@"]}';

/** Declared identifiers on one line, each with what the documents have of it: "BR (2), lot (none)". */
export function declaredLine(identifiers: readonly { name: string; members: number }[]): string {
  return identifiers.map(({ name, members }) => `${name} (${members === 0 ? 'none' : members})`).join(', ');
}
