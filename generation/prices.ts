/** What tokens cost, by a table that the user gives. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, PragauraError } from '../common/index.ts';
import type { Usage } from './generator.ts';

const HINT =
  'For example {"currency": "EUR", "perTokens": 1000000, "models": {"NAME": {"prompt": 0.15, "generated": 0.6}}}.';
const price = z.number().min(0);

export const Prices = z.strictObject({
  currency: z.string().min(1).max(16),
  /** Tokens that a price is for. */
  perTokens: z.number().int().positive(),
  models: z.record(z.string(), z.strictObject({ prompt: price, generated: price })),
});
export type Prices = z.infer<typeof Prices>;

/** Throws NOT_FOUND, and CONFIGURATION for a file that is no table of prices. */
export async function loadPrices(file: string): Promise<Prices> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `The prices ${file} cannot be read: ${messageOf(error)}`, {
      hint: 'Name a file of prices with --prices.',
      cause: error,
    });
  }
  try {
    return Prices.parse(JSON.parse(text));
  } catch (error) {
    throw new PragauraError('CONFIGURATION', `${file} is no table of prices.`, { hint: HINT, cause: error });
  }
}

/**
 * What one answer cost: what the server counted, and where it did not say, our own word pieces. Null without a price of
 * the model; nothing where no request was made.
 */
export function costOf(
  prices: Prices | undefined,
  model: string,
  spent: { promptTokens: number; generatedTokens: number; requests: number },
  usage: Usage,
): { amount: number; currency: string } | null {
  const own = prices !== undefined && Object.hasOwn(prices.models, model) ? prices.models[model]! : null;
  if (prices === undefined || own === null) return null;
  const { currency, perTokens } = prices;
  if (spent.requests === 0) return { amount: 0, currency };
  const prompt = (usage.promptTokens ?? spent.promptTokens) * own.prompt;
  const generated = (usage.generatedTokens ?? spent.generatedTokens) * own.generated;
  return { amount: (prompt + generated) / perTokens, currency };
}
