/** What an evaluation says, as tables: the CSV files, one row a thing. Columns that end in _low and _high are intervals. */
import type { Graded } from '../evaluation/graded.ts';
import type { Abstentions, Estimate, Evaluation, Proportion } from '../evaluation/types.ts';

export type Cell = string | number | boolean | null;

export interface Table {
  /** Name of the file, without ending. */
  name: string;
  columns: string[];
  rows: Cell[][];
}

/** Rows as records with the same keys. Nothing to say: no columns, and no file. */
function tableOf(name: string, records: readonly Record<string, Cell>[]): Table {
  const columns = Object.keys(records[0] ?? {});
  return { name, columns, rows: records.map((record) => columns.map((column) => record[column] ?? null)) };
}

/** Every table of an evaluation; without those that would be empty. */
export function tablesOf(evaluation: Evaluation): Table[] {
  return [
    tableOf('summary', summaryRows(evaluation)),
    tableOf('rankings', rankingRows(evaluation)),
    tableOf('selective', selectiveRows(evaluation)),
    tableOf(
      'curves',
      evaluation.rankings.flatMap(({ name, curve }) => curve.map((point) => ({ ranking: name, ...point }))),
    ),
    tableOf('reliability', reliabilityRows(evaluation)),
    tableOf('acts', actRows(evaluation)),
    tableOf('abstentions', abstentionRows(evaluation)),
    tableOf(
      'guarantee',
      evaluation.checks.map(({ realised, byDocument, ...check }) => ({
        ...check,
        ...shares('realised', realised),
        documents: byDocument?.documents ?? null,
        by_document: byDocument?.value ?? null,
        by_document_low: byDocument?.low ?? null,
        by_document_high: byDocument?.high ?? null,
      })),
    ),
  ].filter(({ rows }) => rows.length > 0);
}

/** One row a query: what was measured, decided, and how good it was. Queries and answers are in observations.ndjson. */
export function queryTable(items: readonly Graded[]): Table {
  return tableOf(
    'queries',
    items.map(
      ({ observation, document, act, action, reason, U, tau, em, f1, wrong, answerable, ...item }) => ({
        id: observation.example.id,
        group: observation.example.group,
        document,
        act,
        action: action ?? 'ERROR',
        reason: reason ?? observation.error,
        U,
        tau,
        em,
        f1,
        wrong,
        answerable,
        unsupported_tokens: item.tokens,
        unsupported_entailment: item.entailment,
        read: item.read,
      }),
    ),
  );
}

function estimate(name: string, { value, interval, n, unscored }: Estimate): Record<string, Cell> {
  return {
    [name]: value,
    [`${name}_low`]: interval?.low ?? null,
    [`${name}_high`]: interval?.high ?? null,
    [`${name}_n`]: n,
    [`${name}_unscored`]: unscored,
  };
}

function shares(name: string, { k, of, value, exact }: Proportion): Record<string, Cell> {
  return {
    [name]: value,
    [`${name}_k`]: k,
    [`${name}_of`]: of,
    [`${name}_low`]: exact?.low ?? null,
    [`${name}_high`]: exact?.high ?? null,
  };
}

/** The figures that are one number each. */
export function figuresOf(evaluation: Evaluation): { name: string; estimate: Estimate }[] {
  const { coverage, answered, everything, unsupported, reliability, retrieval, decisions } = evaluation;
  return [
    { name: 'coverage', estimate: coverage },
    { name: 'EM of answered', estimate: answered.em },
    { name: 'F1 of answered', estimate: answered.f1 },
    { name: 'risk of answered', estimate: answered.risk },
    { name: 'EM of every candidate', estimate: everything.em },
    { name: 'F1 of every candidate', estimate: everything.f1 },
    { name: 'risk of every candidate', estimate: everything.risk },
    { name: 'unsupported by tokens (1 - SCR)', estimate: unsupported.tokens },
    { name: 'unsupported by entailment (1 - E)', estimate: unsupported.entailment },
    { name: 'answers with E < 1/2', estimate: unsupported.notEntailed },
    { name: 'Brier, open gates', estimate: reliability.measured.brier },
    { name: 'ECE, open gates', estimate: reliability.measured.ece },
    { name: 'Brier, answered', estimate: reliability.answered.brier },
    { name: 'ECE, answered', estimate: reliability.answered.ece },
    ...Object.entries(retrieval?.figures ?? {}).map(([name, figure]) => ({ name, estimate: figure })),
    ...(decisions === null ? [] : [{ name: 'decision accuracy', estimate: decisions.accuracy }]),
  ];
}

function summaryRows(evaluation: Evaluation): Record<string, Cell>[] {
  return figuresOf(evaluation).map(({ name, estimate: { value, interval, n, unscored, low, high } }) => ({
    figure: name,
    value,
    interval_low: interval?.low ?? null,
    interval_high: interval?.high ?? null,
    n,
    unscored,
    least: low,
    most: high,
  }));
}

function rankingRows({ rankings }: Evaluation): Record<string, Cell>[] {
  return rankings.flatMap(({ name, about, losses, againstFirst }) =>
    (['wrong', 'em', 'f1'] as const).map((loss) => ({
      ranking: name,
      about,
      loss: loss === 'wrong' ? 'wrong' : `1 - ${loss}`,
      ...estimate('aurc', losses[loss].aurc),
      ...estimate('oracle', losses[loss].oracle),
      ...estimate('e_aurc', losses[loss].excess),
      ...estimate('augrc', losses[loss].augrc),
      ...difference('aurc', loss === 'wrong' ? againstFirst?.aurc : undefined),
      ...difference('e_aurc', loss === 'wrong' ? againstFirst?.excess : undefined),
      ...difference('augrc', loss === 'wrong' ? againstFirst?.augrc : undefined),
    })),
  );
}

type Difference = NonNullable<Evaluation['rankings'][number]['againstFirst']>['aurc'];

function difference(name: string, against: Difference | undefined): Record<string, Cell> {
  return {
    [`${name}_less_first`]: against?.value ?? null,
    [`${name}_less_first_low`]: against?.interval?.low ?? null,
    [`${name}_less_first_high`]: against?.interval?.high ?? null,
    [`${name}_less_first_p`]: against?.p ?? null,
  };
}

function selectiveRows({ rankings }: Evaluation): Record<string, Cell>[] {
  return rankings.flatMap(({ name, selective }) =>
    selective.map(({ em, f1, risk, ...at }) => ({
      ranking: name,
      coverage: at.coverage,
      answered: at.answered,
      threshold: at.threshold,
      tied: at.tied,
      ...estimate('em', em),
      ...estimate('f1', f1),
      ...estimate('risk', risk),
      best_em: at.bestEm,
      best_f1: at.bestF1,
      unsupported_tokens: at.unsupportedTokens,
      unsupported_entailment: at.unsupportedEntailment,
    })),
  );
}

function reliabilityRows({ reliability }: Evaluation): Record<string, Cell>[] {
  return (['measured', 'answered'] as const).flatMap((set) =>
    reliability[set].bins.map(({ n, confidence, right, exact }, bin) => ({
      set: set === 'measured' ? 'open gates' : set,
      bin: bin + 1,
      n,
      stated: confidence,
      right,
      right_low: exact?.low ?? null,
      right_high: exact?.high ?? null,
    })),
  );
}

function actRows({ acts }: Evaluation): Record<string, Cell>[] {
  return acts.map(({ act, n, tau, actions, coverage, risk, em, f1, aurc, augrc, uncertainty, ...row }) => ({
    act,
    n,
    tau,
    answered: actions.ANSWER,
    asked: actions.ASK,
    abstained: actions.ABSTAIN,
    ...shares('coverage', coverage),
    ...shares('risk', risk),
    ...estimate('em', em),
    ...estimate('f1', f1),
    ...estimate('aurc', aurc),
    ...estimate('augrc', augrc),
    open_gates: uncertainty?.n ?? 0,
    u_p5: uncertainty?.p5 ?? null,
    u_p25: uncertainty?.p25 ?? null,
    u_p50: uncertainty?.p50 ?? null,
    u_p75: uncertainty?.p75 ?? null,
    u_p95: uncertainty?.p95 ?? null,
    ...prefixed('unanswered_', row.abstentions),
    sentence: row.sentence,
  }));
}

function abstentionRows({ abstentions: { all, byAction, byReason } }: Evaluation): Record<string, Cell>[] {
  return [
    { by: 'all', name: 'all', ...all },
    ...Object.entries(byAction).map(([name, counts]) => ({ by: 'action', name, ...counts })),
    ...Object.entries(byReason).map(([name, counts]) => ({ by: 'reason', name, ...counts })),
  ];
}

function prefixed(prefix: string, counts: Abstentions): Record<string, Cell> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix}${name}`, count]));
}
