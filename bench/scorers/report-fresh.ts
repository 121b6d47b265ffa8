import { readFile } from 'node:fs/promises';
import { PragauraError } from '../../common/index.ts';
import { type FreshOptions, type FreshReport, measureFresh, VARIANTS } from './fresh-process.ts';

/**
 * Measures one variant in this process on the items of a file, and reads nothing else, so that the memory is that of
 * the scorers. Throws USAGE for a variant that is none.
 */
export async function reportFresh({
  variant,
  items,
  ...options
}: Omit<FreshOptions, 'items'> & { variant: string; items: string }): Promise<FreshReport> {
  if (!Object.hasOwn(VARIANTS, variant)) throw new PragauraError('USAGE', `"${variant}" is no variant.`);
  return measureFresh(variant, { ...options, items: JSON.parse(await readFile(items, 'utf8')) });
}
