import { canonicalHash } from '../../common/index.ts';

/** What `integrity` of an artifact must be: SHA-256 over the canonical JSON of all its other fields. */
export function integrityOf(artifact: object): string {
  const { integrity: _, ...rest } = artifact as { integrity?: unknown };
  return canonicalHash(rest);
}
