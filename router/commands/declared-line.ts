import type { IndexReport } from '../../corpus/index.ts';

/** Declared identifiers on one line, each with what the documents have of it: "BR (2), lot (none)". */
export function declaredLine(identifiers: IndexReport['identifiers']): string {
  return identifiers.map(({ name, members }) => `${name} (${members === 0 ? 'none' : members})`).join(', ');
}
