/** How well the entailment model judges what such models get wrong by nature: pairs of a quote and a claim, by kind. */
import path from 'node:path';
import { z } from 'zod';
import { type Interval, summarise } from '../../calibration/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { parseJsonLines, readDataFile, unreadable } from '../datasets/files.ts';
import { type Layout, table, withInterval } from '../measure/table.ts';

export const PAIR_HALVES = ['open', 'held'] as const;

const LABELS = ['entailment', 'neutral', 'contradiction'] as const;
type Label = (typeof LABELS)[number];

const Pair = z.strictObject({
  id: z.string(),
  kind: z.string(),
  quote: z.string().min(1),
  claim: z.string().min(1),
  label: z.enum(LABELS),
});
type Pair = z.infer<typeof Pair>;

export interface EntailmentReport {
  schema: 'pragaura.bench-entailment/1';
  half: (typeof PAIR_HALVES)[number];
  /** `kind` "all": over all kinds. Intervals by quote. */
  rows: { kind: string; n: number; quotes: number; right: Share; said: Record<Label, Share> }[];
}
/** A share; null where there is nothing to share. */
interface Share {
  value: number | null;
  interval: Interval | null;
}

interface Judged extends Pair {
  said: Label;
}

/**
 * The pairs of one half in the folder `pairs`, judged by the shipped model. Throws NOT_FOUND, UNREADABLE_DOCUMENT for a
 * line that is no pair, and what opening the models throws.
 */
export async function benchEntailment(
  half: EntailmentReport['half'],
  pairs: string,
): Promise<{ report: EntailmentReport; judged: Judged[] }> {
  const file = `pairs.${half}.ndjson`;
  const where = path.join(pairs, file);
  const read = parseJsonLines(await readDataFile(pairs, file), where).map((value) => {
    const { data, error } = Pair.safeParse(value);
    if (data === undefined) throw unreadable(where, z.prettifyError(error));
    return data;
  });
  const scorers = await openScorers({ jobs: ['nli'] });
  try {
    const scores = await scorers.nli(read.map(({ quote, claim }) => ({ premise: quote, hypothesis: claim })));
    const judged = read.map((pair, i) => {
      const score = scores[i]!;
      return { ...pair, said: LABELS.reduce((best, label) => (score[label] > score[best] ? label : best)) };
    });
    const kinds = [...new Set(judged.map(({ kind }) => kind))];
    const rows = [
      rowOf('all', judged),
      ...kinds.map((kind) =>
        rowOf(
          kind,
          judged.filter((pair) => pair.kind === kind),
        ),
      ),
    ];
    return { report: { schema: 'pragaura.bench-entailment/1', half, rows }, judged };
  } finally {
    await scorers.close();
  }
}

function rowOf(kind: string, judged: readonly Judged[]): EntailmentReport['rows'][number] {
  const share = (of: readonly Judged[]): Share => {
    if (of.length === 0) return { value: null, interval: null };
    const { mean, interval } = summarise(
      of.map(({ quote, label, said }) => ({ group: quote, value: Number(said === label) })),
    );
    return { value: mean, interval };
  };
  const labelled = (label: Label) => share(judged.filter((pair) => pair.label === label));
  return {
    kind,
    n: judged.length,
    quotes: new Set(judged.map(({ quote }) => quote)).size,
    right: share(judged),
    said: {
      entailment: labelled('entailment'),
      neutral: labelled('neutral'),
      contradiction: labelled('contradiction'),
    },
  };
}

/** A row a kind: the share judged rightly, of all and of each label. */
export function renderEntailment({ half, rows }: EntailmentReport, layout: Layout = table): string {
  return [
    `pairs of a quote and a claim, half "${half}"; shares judged rightly, intervals by quote`,
    layout(
      ['kind', 'n', 'quotes', 'all', 'entailment', 'neutral', 'contradiction'],
      rows.map(({ kind, n, quotes, right, said }) => [
        kind,
        String(n),
        String(quotes),
        withInterval(right.value, right.interval),
        ...LABELS.map((label) =>
          withInterval(said[label].value, kind === 'all' ? said[label].interval : null),
        ),
      ]),
    ),
  ].join('\n');
}
