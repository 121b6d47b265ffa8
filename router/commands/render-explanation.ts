import { type Colours, plainLine } from '../../common/index.ts';
import type { Explanation } from '../types.ts';
import { table } from './layout.ts';

const HITS_SHOWN = 3;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const number = (value: number | null) => (value === null ? '-' : value.toFixed(3));
const short = (text: string) => {
  const line = plainLine(text);
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
};

/** What led to a decision, for people: act, allocation, branches, candidates, signals, receipt, time. */
export function renderExplanation(explanation: Explanation, c: Colours): string {
  const { decision } = explanation;
  const { act, signals, receipt, timings, versions } = decision;
  const heading = (text: string) => `\n${c.bold(text)}`;
  const probabilities = Object.entries(act.probabilities)
    .filter(([, p]) => p >= 0.01)
    .sort((a, b) => b[1] - a[1]);
  const blend = explanation.blendedFrom.map((part) => `${part.act} ${percent(part.weight)}`);
  const amounts = ['docsScored', 'rerankPairs', 'nliPairs', 'contextTokens'] as const;

  const parts = [
    heading(`Act: ${act.label}${act.confident ? '' : ' (unsure, so profiles are blended)'}`),
    table(probabilities.map(([label, p]) => [label, percent(p)])),
    heading(`Allocation: ${explanation.policy === 'uniform' ? 'the same for every query' : 'by the act'}`),
    `  ${blend.join(', ')}`,
    heading('Branches'),
    table([
      ['branch', 'hits', 'best'],
      ...explanation.branches.map(({ name, hits }) => [
        name,
        hits.length,
        hits
          .slice(0, HITS_SHOWN)
          .map((hit) => `${short(hit.passageId)} ${number(hit.score)}`)
          .join(', '),
      ]),
    ]),
    heading('What the reader saw'),
    table([
      ['passage', 'fused', 'relevance', 'margin', 'reading'],
      ...explanation.candidates.map((candidate) => [
        short(candidate.passageId),
        number(candidate.fused),
        number(candidate.relevance),
        number(candidate.margin),
        short(candidate.reading ?? '-'),
      ]),
    ]),
    heading('Signals'),
    table([
      ['D (branches disagree)', number(signals.D)],
      ['C (sources contradict)', number(signals.C)],
      ['E (evidence entails)', number(signals.E)],
      ['U', number(decision.U)],
      ['tau', number(decision.tau)],
      ...Object.entries(signals.counts).map(([name, count]) => [name, String(count)]),
    ]),
    heading('Receipt (spent of granted)'),
    table([
      ['stage', ...amounts, 'ms'],
      ...receipt.stages.map(({ stage, spent, granted, ms }) => [
        stage,
        ...amounts.map((unit) => `${spent[unit]}/${granted[unit]}`),
        ms.toFixed(0),
      ]),
      [
        'all',
        ...amounts.map((unit) => `${receipt.spent[unit]}/${receipt.budget[unit]}`),
        receipt.spent.ms.toFixed(0),
      ],
    ]),
    heading('Time in ms'),
    table(Object.entries(timings).map(([stage, ms]) => [stage, ms.toFixed(1)])),
    heading('Versions'),
    table([
      ['index', versions.index],
      ...Object.entries(versions.models).map(([job, model]) => [job, model]),
      ['profiles', versions.profiles],
      ['calibration', versions.calibration ?? 'none'],
    ]),
  ];
  return `${parts.join('\n')}\n`;
}
