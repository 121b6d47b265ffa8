import { PragauraError } from '../../errors.ts';
import { datasetNamed, loadDataset } from '../datasets/index.ts';
import { type FreshOptions, type FreshReport, measureFresh, VARIANTS } from './fresh-process.ts';
import { workloadFor } from './workload.ts';

/** Measures one variant in this process, on items of all lengths. Throws USAGE for a variant that is none. */
export async function reportFresh({
  variant,
  set,
  data,
  n,
  ...options
}: Omit<FreshOptions, 'items'> & {
  variant: string;
  set: string;
  data: string;
  n: number;
}): Promise<FreshReport> {
  if (!Object.hasOwn(VARIANTS, variant)) throw new PragauraError('USAGE', `"${variant}" is no variant.`);
  const dataset = await loadDataset(datasetNamed(set), data);
  // Rough lengths do: the product's own tokenizer must not be warm before it is measured.
  const tokensOf = (text: string): number => Math.ceil(1.35 * text.split(/\s+/).length);
  const items = workloadFor('rerank', dataset, Math.max(8, Math.ceil(n / 5)), tokensOf).flatMap(
    (cell) => cell.items,
  );
  return measureFresh(variant, { ...options, items });
}
