import type { Item } from '../judged.ts';

/** A question that can be answered, all open, nothing known of it. */
export function item({ values, ...given }: Partial<Item> = {}): Item {
  return {
    set: 'one',
    group: 'g',
    act: 'FACT',
    answerable: true,
    closed: null,
    reason: null,
    spanOpen: true,
    values: { answerScore: 0.5, ...values },
    read: [],
    right: { span: true, passage: true, first: true },
    ...given,
  };
}
