import type { LayerSettings } from './settings.ts';

/** What holds for one document. */
interface Limits {
  distance: number;
  inEvidence: number;
  high: number;
  low: number;
}

/** The collection of a document: the first part of its id, the folder that was indexed ("handbook" of "handbook/a.md"). */
export function collectionOf(docId: string): string {
  const slash = docId.indexOf('/');
  return slash < 0 ? docId : docId.slice(0, slash);
}

/** Limits of a document's collection, with those for all documents where it has none of its own. */
export function limitsFor(settings: LayerSettings, docId: string): Limits {
  const name = collectionOf(docId);
  const own = Object.hasOwn(settings.collections, name) ? settings.collections[name]! : {};
  return {
    distance: own.distance ?? settings.distance.limit,
    inEvidence: own.inEvidence ?? settings.coverage.inEvidence,
    high: own.high ?? settings.bands.high,
    low: own.low ?? settings.bands.low,
  };
}
