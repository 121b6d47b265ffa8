import { PragauraError } from '../../common/index.ts';
import type { Example } from '../types.ts';
import { componentsOf } from './components.ts';
import { NEAR_DUPLICATE } from './near-duplicates.ts';

/** What the document of each example is called. */
export type Documents = ReadonlyMap<Example, string>;

/**
 * What counts as one document wherever documents are counted: the groups that the split keeps together, because they
 * share a document or (nearly) a question. Five versions of a manual under five names are one witness, not five. To be
 * told of all examples of a file at once, as the split is: what ties two groups may be an example that is left out later.
 * It has the name of its first group in code-unit order. Examples that name no document are no part of any: each keeps
 * its own words.
 */
export function documentsAmong(examples: readonly Example[]): Documents {
  return documentsFrom(examples, componentsOf(examples, NEAR_DUPLICATE).sets);
}

/** `documentsAmong` with the components that are known, as places in the list. */
export function documentsFrom(
  examples: readonly Example[],
  components: readonly (readonly number[])[],
): Documents {
  const documents = new Map<Example, string>();
  for (const places of components) {
    const members = places.map((place) => examples[place]!);
    const groups = members.flatMap(({ group, ungrouped }) => (ungrouped ? [] : [group]));
    const name = groups.reduce((first, group) => (group < first ? group : first), groups[0] ?? '');
    for (const example of members) documents.set(example, example.ungrouped ? example.group : name);
  }
  return documents;
}

/** Throws INTERNAL for an example that the documents were not told of: counted by itself it would pass for a document. */
export function documentIn(documents: Documents, example: Example): string {
  const name = documents.get(example);
  if (name !== undefined) return name;
  throw new PragauraError('INTERNAL', `Nothing says which document ${JSON.stringify(example.id)} is of.`);
}

/** Says that some groups of these examples are one document; null where none are. */
export function tiedGroups(examples: readonly Example[], documents: Documents): string | null {
  const groups = new Set(examples.map(({ group }) => group)).size;
  const own = new Set(examples.map((example) => documentIn(documents, example))).size;
  if (own === groups) return null;
  return `${groups} groups count as ${own} ${own === 1 ? 'document' : 'documents'}: the others share documents or questions with one of them.`;
}
