import {
  anyAt,
  bootstrapInterval,
  grouped,
  type Interval,
  reciprocalRankAt,
  type Summary,
  summarise,
} from '../../calibration/index.ts';
import { share, table, withInterval } from '../measure/table.ts';
import type { RewriteExample } from './canard.ts';
import { bleu, bleuCounts, contentRecall, rougeL, wordsIn } from './text-metrics.ts';

/** A rewriting, and what it finds; `ranking` is null where the answer is not among the passages. */
export interface Outcome extends Pick<RewriteExample, 'article' | 'question' | 'gold' | 'answer'> {
  text: string;
  ranking: readonly string[] | null;
}

export interface MethodReport {
  name: string;
  bleu: { value: number | null; interval: Interval | null };
  rougeL: Summary;
  exact: Summary;
  /** Share left as they are of the questions that people left so, case and punctuation aside. */
  untouched: Summary;
  /** Share of the content words of the reference that are there. */
  recall: Summary;
  /** Content words that are not in the reference, a question. */
  extra: number;
  r1: Summary;
  r10: Summary;
  mrr10: Summary;
}

export function reportOn(methods: readonly { name: string; outcomes: readonly Outcome[] }[]): MethodReport[] {
  return methods.map(({ name, outcomes }) => {
    const over = (value: (outcome: Outcome) => number | null) =>
      summarise(outcomes.map((outcome) => ({ group: outcome.article, value: value(outcome) })));
    const found = (metric: typeof anyAt, k: number) =>
      over(({ ranking, answer }) =>
        ranking === null || answer === null ? null : metric(ranking, new Map([[answer, 1]]), k),
      );
    const counts = outcomes.map(({ article, text, gold }) => ({ article, ...bleuCounts(text, gold) }));
    const extra = outcomes.reduce((sum, { text, gold }) => sum + contentRecall(text, gold).extra, 0);
    return {
      name,
      bleu: {
        value: bleu(counts),
        interval: bootstrapInterval(
          grouped(counts, ({ article }) => article),
          bleu,
        ),
      },
      rougeL: over(({ text, gold }) => rougeL(text, gold)),
      exact: over(({ text, gold }) => Number(sameWords(text, gold))),
      untouched: over(({ text, question, gold }) =>
        sameWords(question, gold) ? Number(sameWords(text, question)) : null,
      ),
      recall: over(({ text, gold }) => contentRecall(text, gold).recall),
      extra: extra / outcomes.length,
      r1: found(anyAt, 1),
      r10: found(anyAt, 10),
      mrr10: found(reciprocalRankAt, 10),
    };
  });
}

function sameWords(one: string, other: string): boolean {
  return wordsIn(one).join(' ') === wordsIn(other).join(' ');
}

const mean = (summary: Summary) => withInterval(summary.mean, summary.interval);

export function render(reports: readonly MethodReport[]): string {
  const texts = reports.map(
    ({ name, bleu: { value, interval }, rougeL: rouge, exact, untouched, recall, extra }) => [
      name,
      withInterval(value, interval),
      mean(rouge),
      share(exact.mean),
      mean(untouched),
      mean(recall),
      extra.toFixed(2),
    ],
  );
  const finds = reports.map(({ name, r1, r10, mrr10 }) => [
    name,
    String(r10.n - r10.unscored),
    mean(r1),
    mean(r10),
    mean(mrr10),
  ]);
  const [first] = reports;
  const alone = first === undefined ? 0 : first.untouched.n - first.untouched.unscored;
  const head = ['BLEU', 'ROUGE-L', 'exact', `left alone (n ${alone})`, 'content recall', 'extra words'];
  return [
    table(['beside the reference', ...head], texts),
    '',
    table(['finding the answer (BM25)', 'n', 'R@1', 'R@10', 'MRR@10'], finds),
    '',
  ].join('\n');
}
