/** The label names of an upstream config.json, held against ours. */
import { z } from 'zod';

const Config = z.object({ id2label: z.record(z.string().regex(/^\d+$/), z.string()) });

/**
 * What is wrong with the order of the labels in a config.json, in words; null when it is ours. A config without names
 * (`LABEL_0`) says nothing and is wrong too: whoever locked it expected names.
 */
export function checkLabels(config: string, labels: readonly string[]): string | null {
  let parsed: z.infer<typeof Config>;
  try {
    parsed = Config.parse(JSON.parse(config));
  } catch {
    return 'has no id2label';
  }
  const found = Object.entries(parsed.id2label)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, label]) => label.toLowerCase());
  return found.join() === labels.join() ? null : `has the labels ${found.join(', ')}, in this order`;
}
