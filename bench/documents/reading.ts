/** Every question with what was shown, for a person to read. */
import { plain } from '../../common/index.ts';
import { CONTENDERS } from './asked.ts';
import type { Row } from './report.ts';

export function readingOf(rows: readonly Row[]): string {
  return rows.map(paragraphOf).join('\n');
}

function paragraphOf({ question, asked, judged }: Row): string {
  const { id, query, act, kind, expect, history = [] } = question;
  const { decision, said, closed, relevance, ms } = asked;
  const refusal = decision.clarification ?? decision.abstention;
  const { product } = said;
  const { form, band, verdict, cut } = product.shown ?? {};
  const figures = [
    `U ${digits(decision.U)}`,
    `tau ${digits(decision.tau)}`,
    `relevance ${digits(relevance)}`,
    ...(judged.product.f1 === null ? [] : [`F1 ${digits(judged.product.f1)}`]),
    ...(closed === null ? [] : [`closed ${closed}`]),
    `${ms.toFixed(0)} ms`,
  ];
  const lines = [
    `[${judged.product.outcome}] ${id} (${[act, kind, `expects ${expect}`].filter((part) => part !== null).join(', ')})`,
    ...history.map(({ text }) => `  before: ${text}`),
    `  Q: ${query}`,
    `  ${product.action} as ${decision.act.label}; ${figures.join(', ')}`,
    ...(product.shown === null
      ? []
      : [
          `  shown (${[form, band === 'LOW' ? 'low' : null, verdict].filter((part) => part != null).join(', ')}):`,
          indented(product.shown.text),
          ...(cut == null ? [] : [`  cut: ${cut}`]),
        ]),
    ...decision.parts.map((part) => `  part: ${part.action}: ${part.query}`),
    ...(refusal === undefined ? [] : [`  ${refusal.reason}: ${refusal.message}`]),
    ...(product.offered.length === 0 ? [] : [`  offered: ${product.offered.join(' | ')}`]),
    ...(question.golds ?? []).map((gold) => `  gold: ${gold}`),
    ...(question.verdicts === undefined ? [] : [`  verdict due: ${question.verdicts.join(' or ')}`]),
    ...(question.accept === undefined ? [] : [`  accepts: ${acceptedIn(question.accept)}`]),
    `  others: ${CONTENDERS.slice(1)
      .map((name) => `${name} ${judged[name].outcome}`)
      .join(', ')}`,
    ...(said['best passage'].shown === null
      ? []
      : ['  best passage:', indented(said['best passage'].shown.text)]),
    '',
  ];
  return lines.map(plain).join('\n');
}

function acceptedIn(accept: NonNullable<Row['question']['accept']>): string {
  return accept.map((all) => all.map(({ source }) => source).join(' & ')).join(' | ');
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

function digits(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}
