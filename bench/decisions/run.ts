import path from 'node:path';
import { codeHash } from '../../calibration/index.ts';
import { writeWholeFile } from '../../common/index.ts';
import type { Generator } from '../../generation/index.ts';
import { type FeatureGroup, openPlanner } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { machineLine } from '../measure/machine.ts';
import type { GraphKind } from './graphs.ts';
import { bySignals } from './information.ts';
import { measuredSet } from './measured-set.ts';
import { type MeasuredSet, type Planner, plannerFor, rowsOf, sourcesOf } from './planners.ts';
import { byPrompt, byTunedPrompt, measurePrompted, type Prompted, promptCosts } from './prompted.ts';
import { NOTES, renderPlanner, renderSet, renderTiming } from './render.ts';
import { type Fitted, type Planners, reportOn, type SetReport } from './report.ts';
import type { SetName } from './sets/index.ts';
import { type Timing, timed } from './timing.ts';

export interface DecisionsOptions {
  sets: readonly SetName[];
  data: string;
  /** Folder of results; what was measured is kept there. */
  out: string;
  /** Folder of indexes. */
  cache: string;
  /** Queries of each set; undefined: as many as the set says. */
  limit: number | undefined;
  graph: GraphKind;
  /** Groups of features to leave out, one planner for each. */
  without: readonly FeatureGroup[];
  /** Groups that no planner looks at; one with each of them is fitted beside. */
  omit: readonly FeatureGroup[];
  /** Whether planners are fitted without the set at hand as well. */
  leaveOut: boolean;
  /** Queries that are timed, one at a time. */
  timing: number;
  /** File for the planner fitted on the tuning halves of all sets; undefined: none is written. */
  fit: string | undefined;
  json: boolean;
  /** The language model that plans beside; undefined: none. */
  generator?: Generator | undefined;
}

/** Measures, fits and reports; gives what goes to standard output. Throws ABORTED when the signal fired. */
export async function benchDecisions(
  options: DecisionsOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<string> {
  const scorers = await openScorers({ announce: say });
  const sets: MeasuredSet[] = [];
  const prompted = new Map<string, Prompted>();
  let timing: Timing | null = null;
  const versions = { models: scorers.info.models, code: await codeHash() };
  try {
    for (const name of options.sets) {
      const { set, index } = await measuredSet(name, options, scorers, { say, signal });
      sets.push(set);
      const { generator, out } = options;
      if (generator !== undefined) {
        const said = await measurePrompted(set, { index, generator, scorers, out, say, signal });
        for (const one of said) prompted.set(one.id, one);
      }
      timing ??=
        options.timing === 0 ? null : await timed(set.queries, options.timing, { index, scorers, signal });
    }
  } finally {
    await scorers.close();
  }
  say('fitting …');
  const { omit } = options;
  const whole = plannerFor(sets, { without: omit });
  const changed = [
    ...options.without.map((group) => ({ name: `planner without ${group}`, without: [...omit, group] })),
    ...omit.map((group) => ({
      name: `planner with ${group}`,
      without: omit.filter((other) => other !== group),
    })),
  ];
  const ablations = changed.flatMap(({ name, without }) => {
    const planner = plannerFor(sets, { without });
    return planner === null ? [] : [{ name, planner }];
  });
  const fitted = [...(whole === null ? [] : [{ name: 'planner', planner: whole }]), ...ablations];
  const general: Planners = [
    ...fitted,
    { name: 'shipped planner', planner: { model: await openPlanner(undefined) } },
  ];
  const rows = rowsOf(sets, new Set());
  const informed: Fitted = ([['H'], ['I(q)'], ['H', 'I(q)']] as const).flatMap((names) => {
    const policy = bySignals(names, rows);
    return policy === null ? [] : [{ name: `by ${names.join(' and ')}`, policy }];
  });
  const told: Fitted = prompted.size === 0 ? [] : promptPolicies(sets, prompted);
  const others = options.leaveOut ? leftOut(sets, omit) : new Map<string, Planner>();
  const reports = sets.flatMap((set) => {
    const other = others.get(sourcesOf(set).join());
    const planners = [
      ...general,
      ...(other === undefined ? [] : [{ name: 'planner without this set', planner: other }]),
    ];
    return reportOn(set, planners, [...informed, ...told]) ?? [];
  });
  if (options.fit !== undefined && whole !== null) await writePlanner(options.fit, whole, say);
  const where = path.join(options.out, 'decisions.json');
  const costs = options.generator && {
    model: options.generator.model,
    ...promptCosts([...prompted.values()]),
  };
  const record = recordOf(reports, fitted, timing, { ...versions, graph: options.graph, prompted: costs });
  await writeWholeFile(where, `${record}\n`, 'Name a folder for results with --out.');
  say(`All figures: ${where}`);
  if (options.json) return record;
  return [rendered(reports, fitted, timing), ...(costs === undefined ? [] : [renderCosts(costs)])].join(
    '\n\n',
  );
}

function promptPolicies(sets: readonly MeasuredSet[], prompted: ReadonlyMap<string, Prompted>): Fitted {
  const tuned = byTunedPrompt(sets, prompted);
  return [
    { name: 'language model', policy: byPrompt(prompted) },
    ...(tuned === null ? [] : [{ name: 'language model, tuned', policy: tuned }]),
  ];
}

function renderCosts({
  model,
  requests,
  promptTokens,
  generatedTokens,
  malformed,
}: ReturnType<typeof promptCosts> & { model: string }): string {
  return `language model ${model}, a query: ${requests} request, ${promptTokens.toFixed(1)} prompt tokens, ${generatedTokens.toFixed(1)} generated; ${(100 * malformed).toFixed(1)} % of its replies are no action`;
}

interface FittedPlanner {
  name: string;
  planner: Planner;
}

/** For the sources of each set, a planner that saw none of them. */
function leftOut(sets: readonly MeasuredSet[], without: readonly FeatureGroup[]): Map<string, Planner> {
  const planners = new Map<string, Planner>();
  for (const set of sets) {
    const sources = sourcesOf(set);
    if (planners.has(sources.join())) continue;
    const planner = plannerFor(sets, { leaveOut: sources, without });
    if (planner !== null) planners.set(sources.join(), planner);
  }
  return planners;
}

async function writePlanner(file: string, { model }: Planner, say: (line: string) => void): Promise<void> {
  await writeWholeFile(file, `${JSON.stringify(model)}\n`, 'Name another file with --fit.');
  say(`Planner ${model.hash.slice(0, 12)}: ${file}`);
}

function recordOf(
  sets: readonly SetReport[],
  planners: readonly FittedPlanner[],
  timing: Timing | null,
  versions: object,
): string {
  return JSON.stringify({
    schema: 'pragaura.bench-decisions/1',
    machine: machineLine(),
    versions,
    sets,
    planners: planners.map(({ name, planner: { report, model } }) => ({ name, hash: model.hash, ...report })),
    timing,
  });
}

function rendered(
  sets: readonly SetReport[],
  planners: readonly FittedPlanner[],
  timing: Timing | null,
): string {
  return [
    ...sets.map((set) => renderSet(set)),
    NOTES,
    ...planners.map(({ name, planner }) => renderPlanner(name, planner)),
    ...(timing === null ? [] : [renderTiming(timing)]),
    machineLine(),
  ].join('\n\n');
}
