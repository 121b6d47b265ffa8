import type { SegmentSource } from '../types.ts';
import type { IdentifierTable } from './types.ts';

export function loadIdentifiers(source: SegmentSource): IdentifierTable {
  throw new Error(`not written yet: ${String(source)}`);
}
