import { randomUUID } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { statfs, unlink, writeFile } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { EXIT, messageOf, PragauraError, packageVersion } from '../../common/index.ts';
import { declaredLine } from '../../corpus/identifiers/declared-text.ts';
import type { ModelChoice, Provider, ScorersInfo } from '../../scorers/index.ts';
import { type DecisionArguments, vocabularyFrom } from './decision-options.ts';
import {
  checkDefaults,
  checkGraph,
  checkLayers,
  checkPlanner,
  checkVocabulary,
  type Finding,
  type Result,
} from './doctor-decisions.ts';

export interface Subject {
  index: string | undefined;
  /** Engine that holds it, where one does. */
  backend?: string | undefined;
  profiles: string | undefined;
  /** Which models do the jobs, where not the default ones. */
  models: ModelChoice;
  /** Files that decisions go by; each is looked at where it is named. */
  decisions: Omit<DecisionArguments, 'decider' | 'utilities' | 'prior' | 'hard-gate' | 'cautious' | 'tenant'>;
}

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const LEAST_NODE = [20, 19] as const;
/** Models and a small index together stay under this. */
const COMFORTABLE_MEMORY = GIB;
const LEAST_MEMORY = 256 * MIB;
const COMFORTABLE_DISK = GIB;

/** Exit code for these findings: of the first that failed, 0 when none did. */
export function exitCodeOf(findings: readonly Finding[]): number {
  return findings.find((finding) => finding.status === 'fail')?.exitCode ?? EXIT.OK;
}

/** Runs a check; whatever it throws is a failure of it and not of the doctor. */
async function finding(check: string, look: () => Promise<Result> | Result): Promise<Finding> {
  try {
    return { check, status: 'ok', exitCode: EXIT.UNAVAILABLE, ...(await look()) };
  } catch (error) {
    const known = PragauraError.isInstance(error) ? error : null;
    return {
      check,
      status: 'fail',
      detail: messageOf(error),
      fix:
        known?.hint ??
        'Install anew: npm ci in the repository, elsewhere npm install --ignore-scripts and the package.',
      exitCode: known?.exitCode ?? EXIT.UNAVAILABLE,
    };
  }
}

/** Everything that must be right for a query to be decided here, in the order in which things build on each other. */
export async function* examine(subject: Subject): AsyncGenerator<Finding> {
  const { index, backend, decisions } = subject;
  const vocabulary = vocabularyFrom(decisions);
  yield await finding('node', checkNode);
  yield await finding('package', checkPackage);
  yield await finding('onnxruntime', checkRuntime);
  let info: ScorersInfo | null = null;
  yield await finding('models', async () => {
    info = await openedInfo('cpu', subject.models);
    return { detail: `${modelsOf(info)}; hashes and known pairs are right` };
  });
  if (info !== null) yield await finding('processor', () => checkProcessor(info!));
  for (const provider of ['webgpu', 'cuda'] as const) {
    yield await finding(`${provider}`, () => checkProvider(provider, subject.models));
  }
  yield await finding('profiles', async () => {
    const { loadProfiles } = await import('../../profiles/index.ts');
    const { hash, profiles } = loadProfiles(subject.profiles);
    return { detail: `${Object.keys(profiles).length} profiles, ${hash.slice(0, 12)}` };
  });
  yield await finding('acts', async () => {
    const { loadActClassifier } = await import('../acts/index.ts');
    await loadActClassifier();
    return { detail: 'the speech-act classifier loads' };
  });
  const indexed = await finding('index', () => checkIndex(index, backend, info));
  yield indexed;
  if (index !== undefined && backend === undefined && indexed.status !== 'fail')
    yield await finding('graph', () => checkGraph(index));
  const { layers, planner, defaults } = decisions;
  if (vocabulary !== undefined) yield await finding('vocabulary', () => checkVocabulary(vocabulary));
  if (layers !== undefined) yield await finding('layers', () => checkLayers(layers));
  if (planner !== undefined) yield await finding('planner', () => checkPlanner(planner));
  if (defaults !== undefined)
    yield await finding('defaults', () => checkDefaults(defaults, decisions['first-default']));
  yield await finding('memory', checkMemory);
  yield await finding('disk', checkDisk);
  yield await finding('streams', () => ({
    detail: `standard input is ${kindOf(0)}, standard output ${kindOf(1)}, standard error ${kindOf(2)}`,
  }));
}

function checkNode(): Result {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const detail = `Node ${process.versions.node}`;
  const enough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  if (enough) return { detail };
  return {
    detail,
    status: 'fail',
    fix: `Install Node ${LEAST_NODE.join('.')} or newer.`,
    exitCode: EXIT.CONFIGURATION,
  };
}

function checkPackage(): Result {
  return { detail: `pragaura ${packageVersion()} on ${process.platform}-${process.arch}` };
}

async function checkRuntime(): Promise<Result> {
  const { env, listSupportedBackends } = await import('onnxruntime-node');
  const backends = listSupportedBackends().map((backend) => backend.name);
  return { detail: `onnxruntime ${env.versions.node} loads, built with ${backends.join(', ')}` };
}

async function openedInfo(provider: Provider, models: Subject['models']): Promise<ScorersInfo> {
  const { openScorers } = await import('../../scorers/index.ts');
  const scorers = await openScorers({ provider, threads: 1, announce: () => {}, ...models });
  await scorers.close();
  return scorers.info;
}

const modelsOf = ({ models }: ScorersInfo) =>
  Object.entries(models)
    .map(([job, model]) => `${job} ${model.name}`)
    .join(', ');

/** Whether scores here are those of other processors, and what that takes. */
export function checkProcessor({ arithmetic, widened }: Pick<ScorersInfo, 'arithmetic' | 'widened'>): Result {
  const slower = widened ? '; without VNNI, so weights are taken as unsigned: slower, the same scores' : '';
  if (arithmetic.startsWith('exact')) return { detail: `sums in the models are ${arithmetic}${slower}` };
  const why = arithmetic.startsWith('saturating')
    ? '8-bit sums of a model are cut off here ("pragaura models verify" says of which)'
    : 'this processor lacks AVX2 and FMA';
  return {
    detail: `sums in the models are ${arithmetic}, scores not those of other processors: ${why}`,
    status: 'warn',
    fix: 'Calibrate on this kind of processor, and decide there; a calibration of another kind is refused.',
  };
}

/**
 * Providers other than the CPU are a bonus: their absence is told, not complained of. All models are tried, since one
 * can fail where another runs.
 */
async function checkProvider(provider: Provider, models: Subject['models']): Promise<Result> {
  const info = await openedInfo(provider, models);
  return info.provider === provider
    ? { detail: `all models run here: --provider ${provider} can be used` }
    : { detail: `does not run all models here; --provider ${provider} would fall back to ${info.provider}` };
}

async function checkIndex(
  name: string | undefined,
  engine: string | undefined,
  info: ScorersInfo | null,
): Promise<Result> {
  if (name === undefined) return { detail: 'none given, none looked at (--index DIR)' };
  const { openBackend } = await import('../../corpus/index.ts');
  const index = await openBackend(name, { backend: engine });
  try {
    if (info !== null) {
      const { checkEmbedder } = await import('../retrieval/index.ts');
      checkEmbedder(index.name, index.manifest.embedder, info);
    }
    const { manifest, identifiers } = index;
    const { counts } = manifest;
    const health = await index.health();
    const detail =
      `${counts.documents} documents, ${counts.passages} passages, ${manifest.hash.slice(0, 12)}` +
      (engine === undefined ? '' : `, ${health.detail}`) +
      (identifiers.declared.length > 0
        ? `; declared identifiers: ${declaredLine(identifiers.declared)}`
        : '');
    if (health.state === 'degraded') {
      return {
        detail,
        status: 'warn',
        fix: 'See which of its copies are missing: with one node more down the index may not be whole.',
      };
    }
    if (manifest.pending !== undefined) {
      return {
        detail: `${detail}; its vectors are still being made: searched by words alone`,
        status: 'warn',
      };
    }
    if (counts.failed > 0) {
      return {
        detail: `${detail}; ${counts.failed} files could not be read when it was made`,
        status: 'warn',
      };
    }
    return { detail };
  } finally {
    await index.close();
  }
}

function checkMemory(): Result {
  // A container's limit is what counts there.
  const limit = process.constrainedMemory() || totalmem();
  const free = Math.min(freemem(), limit);
  const cores = availableParallelism();
  const detail = `${(free / GIB).toFixed(1)} GiB of ${(Math.min(limit, totalmem()) / GIB).toFixed(1)} GiB free, ${cores} cores`;
  if (free >= COMFORTABLE_MEMORY) return { detail };
  return {
    detail,
    status: free < LEAST_MEMORY ? 'fail' : 'warn',
    fix: 'Free some memory, or use --threads 1.',
  };
}

async function checkDisk(): Promise<Result> {
  const file = join(tmpdir(), `pragaura-doctor-${randomUUID()}`);
  try {
    await writeFile(file, 'x', { flag: 'wx', mode: 0o600 });
    await unlink(file);
  } catch (error) {
    return { detail: messageOf(error), status: 'fail', fix: 'Point TMPDIR to a folder that can be written.' };
  }
  const { bavail, bsize } = await statfs(tmpdir());
  const detail = `${tmpdir()} can be written, ${((bavail * bsize) / GIB).toFixed(1)} GiB free`;
  if (bavail * bsize >= COMFORTABLE_DISK) return { detail };
  return { detail, status: 'warn', fix: 'Free some disk space before indexing.' };
}

function kindOf(descriptor: number): string {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFIFO()) return 'a pipe';
    if (stats.isFile()) return 'a file';
    if (stats.isSocket()) return 'a socket';
    if (stats.isDirectory()) return 'a folder';
    return stats.isCharacterDevice() ? 'a terminal or device' : 'something else';
  } catch {
    return 'closed';
  }
}
