/** From a parsed line to an item: what fits a schema, and the id that every item has. */
import type { ZodType } from 'zod';
import { PragauraError } from './errors.ts';

/**
 * Checks values against a schema. INVALID_INPUT says which fields are wrong, the first three of them; its hint is
 * `hint`, which says what would be right.
 */
export function parseAs<T>(schema: ZodType<T>, hint: string): (value: unknown) => T {
  return (value) => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const issues = result.error.issues.slice(0, 3).map((issue) => {
      const where = issue.path.map(String).join('.');
      return (where === '' ? issue.message : `${where}: ${issue.message}`).slice(0, 200);
    });
    throw new PragauraError('INVALID_INPUT', issues.join('; '), { hint });
  };
}

/**
 * A `parse` for `runRecords` out of the schema of an object with an `id`: a record without an id (or with null) is
 * called "line-N" after its line, an id that is a number becomes a string. Throws as `parseAs` does.
 */
export function recordParser<T>(schema: ZodType<T>, hint: string): (value: unknown, line: number) => T {
  const parse = parseAs(schema, hint);
  return (value, line) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new PragauraError('INVALID_INPUT', 'The line holds no JSON object.', { hint });
    }
    const { id = null } = value as { id?: unknown };
    return parse({ ...value, id: id === null ? `line-${line}` : typeof id === 'number' ? String(id) : id });
  };
}
