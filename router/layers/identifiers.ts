import { list } from '../../common/index.ts';
import { abstains, asks } from './found.ts';
import { mayBeAbout } from './identifier-focus.ts';
import { topics, upToThree } from './suggestions.ts';
import type { Layer } from './types.ts';

/** An identifier that no passage names. Asked back where others of its family may have been meant. */
export const identifierExists: Layer = ({ identifiers, evidence }) => {
  const missing = identifiers.filter(({ known }) => !known);
  if (missing.length === 0) return null;
  const names = missing.slice(0, 3).map(({ id }) => id);
  const message = `${list(names, 'and')} ${names.length > 1 ? 'occur' : 'occurs'} nowhere in the documents.`;
  const near = upToThree(missing.flatMap((each) => each.near));
  if (near.length === 0) {
    const suggestions = topics(evidence);
    return abstains('identifierExists', 'UNKNOWN_IDENTIFIER', message, { suggestions });
  }
  const meant = `${message} Did you mean ${list(near, 'or')}?`;
  return asks('identifierExists', 'UNKNOWN_IDENTIFIER', meant, { suggestions: near });
};

/**
 * A query about one record must not be answered from another one: where it names identifiers that exist, the passage
 * of the answer must not be one of another record's, see `mayBeAbout`. Before there is an answer, some passage found
 * must not be.
 */
export const identifierInEvidence: Layer = ({ identifiers, identifiersIn, evidence, answers }) => {
  const wanted = identifiers.filter(({ known }) => known).map(({ id }) => id);
  if (wanted.length === 0 || evidence.length === 0) return null;
  const home = answers?.clusters[0]?.voices[0]?.key;
  const looked = home === undefined ? evidence : evidence.filter(({ passageId }) => passageId === home);
  const belongs = looked.some((passage) => mayBeAbout(passage, wanted, identifiersIn));
  if (looked.length === 0 || belongs) return null;
  const message = `What was found is not about ${list(wanted.slice(0, 3), 'or')}.`;
  return abstains('identifierInEvidence', 'IDENTIFIER_NOT_IN_EVIDENCE', message, {
    suggestions: topics(evidence),
  });
};
