/** The fitted rule as the file that the router room keeps. */
import { costOf } from '../../router/index.ts';
import type { Header } from './lines.ts';
import type { Probability } from './probability.ts';
import type { Report } from './report.ts';

/** The text of `router/decision/general-fit.ts`, but for its layout. */
export function shippedText(header: Header, { fit, curve, sets }: Report): string {
  const answerable = sets.reduce((sum, set) => sum + set.answerable, 0);
  const questions = sets.reduce((sum, { n }) => sum + n, 0);
  const { models, arithmetic } = header;
  const table = {
    models,
    arithmetic,
    sets: sets.map(({ name }) => name),
    questions,
    answerable,
    span: rounded(fit.span),
    floor: fit.floor,
    passage: rounded(fit.passage),
    measured: curve.map(({ cautious, figures: { coverage, risk, useful, falseAnswers } }) => ({
      cautious,
      cost: digits(costOf(cautious)),
      answered: digits(coverage),
      wrong: digits(risk),
      useful: digits(useful),
      inVain: digits(falseAnswers),
    })),
  };
  return `/** Written by \`pragaura bench general\`. */\nimport type { GeneralFit } from './types.ts';\n\nexport const GENERAL: GeneralFit = ${JSON.stringify(table, null, 2)};\n`;
}

function rounded({ intercept, inputs, shifts }: Probability) {
  return {
    intercept: digits(intercept),
    inputs: inputs.map(({ feature, ...numbers }) => ({
      feature,
      ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, digits(value)])),
    })),
    shifts: Object.fromEntries(Object.entries(shifts).map(([act, shift]) => [act, digits(shift)])),
  };
}

/** Five that count, so that what is applied can be read. */
function digits<T extends number | null>(value: T): T {
  return (value === null ? null : Number(value.toPrecision(5))) as T;
}
