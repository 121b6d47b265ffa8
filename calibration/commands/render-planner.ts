import { table } from '../../common/index.ts';
import { ACTIONS, type Action } from '../../router/index.ts';
import type { ActionFigure } from '../metrics/actions.ts';
import type { Compared } from '../planner/compared.ts';
import type { LeftOut } from '../planner/from-observations.ts';
import { digits, withInterval } from '../report/numbers.ts';
import type { FittedPlanner } from './fit-planner-run.ts';

/** What three digits can show. */
const LEAST_SHOWN = 0.0005;

type Shown = Pick<FittedPlanner, 'file' | 'model' | 'report' | 'leftOut' | 'figures'>;

/** How the planner was fitted, and what it does on the test part beside other rules. */
export function renderPlanner({ file, model, report, leftOut, figures }: Shown): string {
  const { rows, groups, chosen, quality, importance } = report;
  const most = importance
    .filter(({ increase }) => increase >= LEAST_SHOWN)
    .slice(0, 8)
    .map(({ feature, increase }) => `${feature} ${digits(increase)}`);
  const lines = [
    `Planner ${model.hash.slice(0, 12)}, ${chosen}: fitted on ${rows} queries of ${groups} documents (` +
      `${ACTIONS.map((action) => `${action} ${model.fitted.actions[action]}`).join(', ')})`,
    ...leftOutLine(leftOut),
    ...(quality === null
      ? []
      : [
          `on documents left out: log loss ${digits(quality.logLoss)}, accuracy ${digits(quality.accuracy)}, macro-F1 ${digits(quality.macroF1)}`,
        ]),
    ...(most.length === 0 ? [] : [`log loss without knowing: ${most.join(', ')}`]),
    '',
    ...tested(figures),
    '',
    ...advice(model.fitted.kind, figures),
    `Use it: --decider planner --planner ${file}; or put thresholds with a promise on it, by the same command with --target, --level and --out.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Without what only programs need. */
export function summaryOfPlanner({ file, model, report, leftOut, figures }: Shown) {
  const { on, ...fitted } = model.fitted;
  const { ties: _, ...known } = on!;
  return {
    schema: 'pragaura.planner-summary/1' as const,
    file,
    hash: model.hash,
    utilities: model.utilities,
    fitted: { ...fitted, on: known },
    leftOut,
    report,
    test: figures,
  };
}

function leftOutLine({ final, failed, unmeasured }: LeftOut): string[] {
  const parts = [
    ...(final > 0 ? [`${final} are settled whoever decides`] : []),
    ...(failed > 0 ? [`${failed} could not be decided`] : []),
    ...(unmeasured > 0 ? [`of ${unmeasured} nothing was measured`] : []),
  ];
  return parts.length === 0 ? [] : [`left out, because they teach it nothing: ${parts.join(', ')}`];
}

function tested(figures: readonly Compared[]): string[] {
  const [first] = figures;
  if (first === undefined)
    return ['Nothing is left to test on: how good it is on new documents is not known.'];
  const { n, groups, gold } = first.figures;
  const right = ACTIONS.filter((action) => gold[action] > 0);
  return [
    `Test part, ${n} queries of ${groups} ${groups === 1 ? 'document' : 'documents'}: ` +
      right.map((action) => `${action} ${gold[action]}`).join(', '),
    '',
    table(
      ['policy', 'accuracy', 'macro-F1', 'answered in vain'],
      figures.map(({ policy, figures: { accuracy, macroF1, answeredInVain } }) => [
        policy,
        ...[accuracy, macroF1, answeredInVain].map(shown),
      ]),
    ),
    '',
    table(
      ['', 'said', 'precision', 'recall'],
      figures.flatMap((each) => right.map((action) => actionRow(each, action))),
    ),
    '',
    'answered in vain: of all queries, those answered though another action is right. Brackets: 95 %, bootstrap by document.',
  ];
}

function actionRow({ policy, figures }: Compared, action: Action): string[] {
  const { precision, recall } = figures.actions[action];
  return [`${policy}: ${action}`, String(figures.said[action]), shown(precision), shown(recall)];
}

function shown({ value, interval }: ActionFigure): string {
  return withInterval({ value, interval, unscored: 0 });
}

/** What should be known before anybody relies on it. */
function advice(kind: FittedPlanner['model']['fitted']['kind'], figures: readonly Compared[]): string[] {
  if (kind === 'prior') {
    return [
      'Nothing that was measured foretells the action better than its frequency: this planner says the same of every query.',
    ];
  }
  const [own, ...others] = figures;
  const better = others.filter((each) => each.figures.macroF1.value! >= own!.figures.macroF1.value!);
  return better.length === 0
    ? []
    : [
        `By macro-F1 it does no better on the test part than: ${better.map(({ policy }) => policy).join(', ')}.`,
      ];
}
