/** Whether what a language model's samples say is worth what they cost. */
import { SAMPLE_FEATURES } from '../../router/index.ts';
import type { FitItem } from './items.ts';
import { fitLearned, type LearnedFit } from './learned.ts';

export interface SamplesWorth {
  /** In nats, on groups left out. */
  logLoss: { without: number; with: number };
  /** Of their difference, groups drawn alike. */
  standardError: number;
  /** Whether the score looks at samples: every query then pays for them. */
  used: boolean;
}

/**
 * The learned score, with samples where they lower the log loss on groups left out by more than one standard error, else
 * without. `worth`: null where no item has any. Throws as `fitLearned`.
 */
export function fitSampled(items: readonly FitItem[]): LearnedFit & { worth: SamplesWorth | null } {
  const sampled = items.some(({ features }) => SAMPLE_FEATURES.some((name) => features?.[name] != null));
  if (!sampled) return { ...fitLearned(items), worth: null };
  const rich = fitLearned(items);
  const plain = fitLearned(items.map(withoutSamples));
  const open = items.filter(({ features }) => features !== null);
  const gains = plain.losses.map((loss, i) => loss - rich.losses[i]!);
  const gain = mean(gains);
  const standardError = errorOfMean(gains, open);
  const worth = {
    logLoss: { without: mean(plain.losses), with: mean(rich.losses) },
    standardError,
    used: gain > standardError,
  };
  return { ...(worth.used ? rich : plain), worth };
}

/** The item as if no language model had been asked. */
export function withoutSamples(item: FitItem): FitItem {
  const { features } = item;
  if (features === null) return item;
  const none = { semanticEntropy: null, sampleAgreement: null, sampleSupport: null };
  return { ...item, features: { ...features, ...none } };
}

/** Standard error of a mean over items whose groups are independent: sqrt(sum over groups of (sum of deviations)^2) / n. */
function errorOfMean(values: readonly number[], items: readonly Pick<FitItem, 'group'>[]): number {
  const centre = mean(values);
  const sums = new Map<string, number>();
  for (const [i, { group }] of items.entries()) {
    sums.set(group, (sums.get(group) ?? 0) + values[i]! - centre);
  }
  const groups = sums.size;
  const squared = [...sums.values()].reduce((sum, each) => sum + each ** 2, 0);
  return Math.sqrt((squared * groups) / Math.max(1, groups - 1)) / values.length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
