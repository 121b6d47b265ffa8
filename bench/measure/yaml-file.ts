import { parseDocument } from 'yaml';
import { z } from 'zod';
import { messageOf, PragauraError } from '../../common/index.ts';

/** A file of YAML from its text. Throws CONFIGURATION, naming `file` and the field. Aliases and keys that occur twice are refused. */
export function parseYaml<T>(text: string, file: string, schema: z.ZodType<T>): T {
  const document = parseDocument(text, { uniqueKeys: true, merge: false, version: '1.2' });
  const [problem] = [...document.errors, ...document.warnings];
  let value: unknown;
  try {
    if (problem !== undefined) throw problem;
    value = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw new PragauraError('CONFIGURATION', `${file} is no YAML that is read here: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new PragauraError('CONFIGURATION', `${file}: ${z.prettifyError(parsed.error)}`, {
    cause: parsed.error,
  });
}
