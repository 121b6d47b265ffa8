import { createHash } from 'node:crypto';

/** JSON with sorted keys and no white space: one text for one value. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`);
  return `{${fields.join(',')}}`;
}

/** What `integrity` of an artifact must be: SHA-256 over the canonical JSON of all its other fields. */
export function integrityOf(artifact: object): string {
  const { integrity: _, ...rest } = artifact as { integrity?: unknown };
  return createHash('sha256').update(canonicalJson(rest)).digest('hex');
}
