import { quoted } from '../../common/index.ts';
import { concealedTold } from './concealed.ts';
import { abstains, notes } from './found.ts';
import { nameOf } from './suggestions.ts';
import type { Layer, Suspect } from './types.ts';

/** In words, which passages were left out and why; the first of them is named. */
function leftOut(suspects: readonly Suspect[]): string {
  const { excerpt, kind, source, ...first } = suspects[0]!;
  const where = `${quoted(nameOf(first))} (${source})`;
  const what = excerpt === '' ? kind : `${kind}, ${quoted(excerpt)},`;
  const more = suspects.length > 1 ? `, as were ${suspects.length - 1} more` : '';
  return `A passage of ${where} holds ${what} and was left out${more}.`;
}

/**
 * Poisoned evidence: passages that `withoutInstructions` left out, and text that documents of the evidence hide. Where nothing else was found this is the reason for
 * which nothing is answered; otherwise it is said beside whatever is decided on the rest.
 */
export const poisoned: Layer = ({ suspects, evidence, concealed = [] }) => {
  const measured = suspects.length + concealed.length;
  if (measured === 0) return null;
  if (evidence.length > 0) {
    const said = [
      ...(suspects.length > 0 ? [leftOut(suspects)] : []),
      ...(concealed.length > 0 ? [concealedTold(concealed)] : []),
    ];
    return notes('poisoned', 'CAVEAT', said.join(' '), { measured });
  }
  const message = `${leftOut(suspects)} Nothing else was found.`;
  return abstains('poisoned', 'POISONED_EVIDENCE', message, { measured });
};
