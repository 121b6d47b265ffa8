/** What `doctor` says of the files that decisions go by. Each throws what is wrong with its file. */
import { readFileSync } from 'node:fs';
import { jsonOf } from '../../cli/index.ts';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { VocabularyOptions } from '../vocabulary/index.ts';
import { LAYERS_EXAMPLE } from './decision-options.ts';

export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  /** What mends it. */
  fix?: string;
  /** Of the command, when this failed. */
  exitCode: number;
}

export type Result = Pick<Finding, 'detail'> & Partial<Finding>;

export async function checkVocabulary(settings: VocabularyOptions): Promise<Result> {
  const { openVocabulary } = await import('../vocabulary/index.ts');
  const { report } = (await openVocabulary(settings))!;
  const { concepts, labels, definitions, loops, sharedLabels, leftOut } = report;
  const detail = `${concepts} concepts, ${labels} labels, ${definitions} definitions`;
  const oddities = [
    loops.count > 0 ? `${loops.count} circles of broader concepts, as of ${loops.examples[0]}` : '',
    sharedLabels.count > 0
      ? `${sharedLabels.count} labels that several share, as "${sharedLabels.examples[0]}"`
      : '',
    leftOut.labels > 0 ? `${leftOut.labels} labels were too long or too many` : '',
  ].filter((oddity) => oddity !== '');
  if (oddities.length === 0) return { detail };
  return { detail: `${detail}; ${oddities.join('; ')}`, status: loops.count > 0 ? 'warn' : 'ok' };
}

export async function checkLayers(file: string): Promise<Result> {
  const { LAYERS, LayerSettings } = await import('../layers/index.ts');
  const parsed = LayerSettings.safeParse(jsonOf(file, 'layers', LAYERS_EXAMPLE));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new PragauraError(
      'CONFIGURATION',
      `${file}, ${issue?.path.join('.') || 'as a whole'}: ${issue?.message}`,
      {
        hint: `For example ${LAYERS_EXAMPLE}`,
        cause: parsed.error,
      },
    );
  }
  const off = LAYERS.filter((layer) => !parsed.data[layer].on);
  return { detail: off.length === 0 ? 'all layers are on' : `off: ${off.join(', ')}` };
}

export async function checkDefaults(file: string, firstDefault?: number): Promise<Result> {
  const { openDefaults } = await import('../../conversation/defaults/index.ts');
  try {
    const store = await openDefaults({
      file,
      ...(firstDefault !== undefined && { settings: { firstDefault } }),
    });
    try {
      const gates = store.list(undefined, Date.now()).map(({ gate }) => gate);
      const applied = gates.filter((gate) => gate === 'apply').length;
      return { detail: `${gates.length} learned defaults, ${applied} of them applied without asking` };
    } finally {
      store.close();
    }
  } catch (error) {
    if (!PragauraError.isInstance(error) || error.code !== 'NOT_FOUND') throw error;
    return { detail: `${file} is not there yet; the first query with --defaults makes it` };
  }
}

export async function checkPlanner(file: string): Promise<Result> {
  const { readPlanner } = await import('../decision/index.ts');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`, {
      hint: "Name a planner file, or leave --planner out to take the package's own.",
      cause: error,
    });
  }
  const { hash, fitted } = readPlanner(text, file);
  return { detail: `fitted on ${fitted.rows} queries, ${hash.slice(0, 12)}` };
}

/** Of the graph beside an index. */
export async function checkGraph(dir: string): Promise<Result> {
  const { openIndex } = await import('../../corpus/index.ts');
  const { openGraph } = await import('../graph/index.ts');
  const graph = await openGraph(await openIndex(dir));
  if (graph !== null) {
    const { nodes, edges } = graph.data;
    return { detail: `${nodes.length} names, ${edges.length} statements, ${graph.hash.slice(0, 12)}` };
  }
  return { detail: 'none beside this index ("pragaura graph" makes one)' };
}
