import { documentIn, documentsAmong } from '../splits/documents.ts';
import type { Scored } from '../thresholds/types.ts';
import type { Example } from '../types.ts';

/**
 * Every document in `times` versions with a group of its own each, in which all is as in the first: what labels of a
 * manual in five releases look like. The versions of every other document are tied by a document that their labels name,
 * those of the rest by what is asked. `groups`: as if versions were documents; `documents`: as they are counted.
 */
export function inVersions(
  items: readonly Scored[],
  times: number,
): { groups: Scored[]; documents: Scored[] } {
  const names = [...new Set(items.map(({ group }) => group!))];
  const placeOf = new Map(names.map((name, place) => [name, place]));
  const copies = items.flatMap((item, place) =>
    Array.from({ length: times }, (_, version) => {
      const byName = placeOf.get(item.group!)! % 2 === 0;
      const example: Example = {
        id: `${place} ${version}`,
        query: byName ? `q${place}v${version}` : `q${place}`,
        group: `${version} ${item.group}`,
        ...(byName ? { passages: [`${item.group}#${version}`] } : {}),
      };
      return { item, example };
    }),
  );
  const documents = documentsAmong(copies.map(({ example }) => example));
  return {
    groups: copies.map(({ item, example }) => ({ ...item, group: example.group })),
    documents: copies.map(({ item, example }) => ({ ...item, group: documentIn(documents, example) })),
  };
}
