/** `pragaura bench scale`: what passages cost at several sizes, in this process and in engines, and what many more would. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeHash } from '../../calibration/index.ts';
import { isSystemError, messageOf, PragauraError, writeWholeFile } from '../../common/index.ts';
import { startOpenSearch } from '../../corpus/backend/testing/start-opensearch.ts';
import { startPostgres } from '../../corpus/backend/testing/start-postgres.ts';
import { publish } from '../../corpus/index.ts';
import { backendsIn, kindOf } from '../backends/run.ts';
import { runOwn } from '../measure/own-process.ts';
import { type AskReport, askAll } from './ask.ts';
import { type BuiltReport, buildGenerated, writeTexts } from './build.ts';
import { type Plan, planOf } from './plan.ts';
import { makeQuestions } from './questions.ts';
import { loadRealText, type RealText } from './real-text.ts';
import { measureSample, type SampleReport } from './sample.ts';
import type { TextReport } from './statistics.ts';
import type { Found, Measured, SizeReport, WayReport } from './types.ts';

const EMBEDDED = 'embedded';

/** MiB of an engine's own memory at every size: of a node that would hold the largest one, and merge its neighbour graphs. */
const OWN_MIB = { opensearch: 6_144, pgvector: 2_048 } as const;

interface Started {
  backend: string;
  pids(): number[];
  stop(): Promise<void>;
}

const STARTED = {
  async opensearch(): Promise<Started> {
    const { backend, nodes, stop } = await startOpenSearch({ timed: true, heapMiB: OWN_MIB.opensearch });
    return { backend, stop, pids: () => nodes.map((node) => node.pid()) };
  },
  async pgvector(): Promise<Started> {
    // A neighbour graph that does not fit into this is built many times more slowly.
    const memory = {
      shared_buffers: `${OWN_MIB.pgvector}MB`,
      maintenance_work_mem: `${2 * OWN_MIB.pgvector}MB`,
    };
    const { backend, pid, stop } = await startPostgres(memory);
    return { backend, stop, pids: () => [pid()] };
  },
} as const;
export type EngineName = keyof typeof STARTED;

export interface ScaleOptions {
  /** Documents of each size, ascending; nearly each is one passage. */
  sizes: readonly number[];
  /** "embedded", and engines as `--backend` has them, separated by commas. */
  backends: string;
  /** Engines that are started for each measurement, one node each. */
  start: readonly EngineName[];
  questions: number;
  /** Real documents that are embedded, and real questions that are decided on. */
  sample: number;
  decisions: number;
  /** Shards of the OpenSearch that is started, at the size `shardsAt`; none: not measured. */
  shards: readonly number[];
  shardsAt: number;
  /** Folder of what is measured and of the indexes; a run that was stopped goes on from there. */
  work: string;
}

/** One piece of the measurement, in a process of its own. */
export type Piece =
  | { what: 'sample'; dir: string; documents: number; decisions: number }
  | { what: 'text'; dir: string; documents: number }
  | { what: 'build'; texts: string; index: string; sample: string }
  | { what: 'questions'; index: string; file: string; count: number; cosine: number }
  | { what: 'publish'; index: string; backend: string }
  | { what: 'ask'; index: string; backend?: string | undefined; questions: string; pids: readonly number[] };

/** What a piece comes to, to be kept as JSON. `real`: the public text, where it is needed. */
export async function runPiece(piece: Piece, real: () => Promise<RealText>): Promise<unknown> {
  switch (piece.what) {
    case 'sample':
      return measureSample(await real(), piece);
    case 'text':
      return writeTexts(await real(), piece.dir, piece.documents);
    case 'build':
      return buildGenerated(piece.texts, piece.index, piece.sample);
    case 'questions': {
      const questions = await makeQuestions(await real(), piece.index, piece);
      await writeFile(piece.file, JSON.stringify(questions));
      return { questions: questions.length };
    }
    case 'publish': {
      const began = performance.now();
      const { written } = await publish(piece.index, piece.backend);
      return { ms: written ? performance.now() - began : null };
    }
    case 'ask':
      return askAll(piece);
  }
}

/** Heap for a million passages: of itself V8 takes 4 GiB at most. */
const PIECE_HEAP_MIB = 12_288;

/** What a process that was started for a piece says. */
type Said = { found: unknown } | { failed: string };

/** This very program on a piece. Throws INTERNAL, with what the other process says of its failure. */
export async function pieceInOwnProcess(piece: Piece, data: string, file: string): Promise<unknown> {
  await writeWholeFile(file, JSON.stringify({ piece, data }), 'Name a folder with --work.');
  const node = ['--expose-gc', `--max-old-space-size=${PIECE_HEAP_MIB}`];
  const { output } = await runOwn(['bench', 'scale-piece', file], node).catch((error: unknown) => {
    // Places on this machine are nothing for a report.
    throw new PragauraError('INTERNAL', messageOf(error).replace(file, piece.what), { cause: error });
  });
  const said = JSON.parse(output) as Said;
  if ('found' in said) return said.found;
  throw new PragauraError('INTERNAL', said.failed);
}

/** The piece that such a file names, in the process that was started for it. */
export async function runPieceOf(file: string): Promise<Said> {
  const { piece, data } = JSON.parse(await readFile(file, 'utf8')) as { piece: Piece; data: string };
  try {
    return { found: await runPiece(piece, () => loadRealText(data)) };
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

export interface ScaleReport extends Found {
  schema: 'pragaura.bench-scale/1';
  /** Null where fewer than two sizes were measured. */
  plan: Plan | null;
}

export interface ScaleTools {
  /** What text and questions are made of. */
  real: RealText;
  say: (line: string) => void;
  signal: AbortSignal;
  run: (piece: Piece, file: string) => Promise<unknown>;
}

/** Throws USAGE for backends that cannot be compared, what the sample throws, and ABORTED. A size or a backend that fails is in the report. */
export async function benchScale(options: ScaleOptions, tools: ScaleTools): Promise<ScaleReport> {
  const named = backendsIn(options.backends).filter((backend) => backend !== EMBEDDED);
  if (options.shards.length > 0 && !options.sizes.includes(options.shardsAt)) {
    throw new PragauraError('USAGE', `--shards-at ${options.shardsAt} is none of the sizes.`, {
      hint: `Name one of ${options.sizes.join(', ')}.`,
    });
  }
  const work = await Work.open(options, tools);
  const sample = await work.sample();
  const sizes: SizeReport[] = [];
  const shards: Measured[] = [];
  for (const wanted of options.sizes) {
    const { text, built, ended } = await work.index(wanted);
    const size: SizeReport = { wanted, text, built, ended, backends: [] };
    sizes.push(size);
    if (built === null) continue;
    const reference = await work.asked(wanted, { kind: EMBEDDED }, sample.questionCosine);
    const asked = async (target: Target) =>
      compared(await work.asked(wanted, target, sample.questionCosine), reference);
    size.backends.push(compared(reference, reference));
    for (const backend of named) size.backends.push(await asked({ kind: kindOf(backend), backend }));
    for (const kind of new Set(options.start)) size.backends.push(await asked({ kind, start: kind }));
    for (const count of wanted === options.shardsAt ? options.shards : []) {
      shards.push(await asked({ kind: 'opensearch', start: 'opensearch', shards: count }));
    }
  }
  const found = { questions: options.questions, sample, sizes, shards };
  return { schema: 'pragaura.bench-scale/1', ...found, plan: planOf(found) };
}

interface Target {
  kind: string;
  backend?: string;
  start?: EngineName;
  shards?: number;
}

interface Asked {
  backend: string;
  shards: number;
  publishMs: number | null;
  ended: string | null;
  asked: AskReport | null;
}

/** What figures hang on beside the options. */
const ROOMS = ['common', 'corpus', 'profiles', 'router', 'scorers'];
const MEASURES_NOTHING = /^(?:plan|render|run|types)\.[jt]s$/;

/** The folder of a run, and what is kept in it. */
class Work {
  readonly #options: ScaleOptions;
  readonly #tools: ScaleTools;
  /** Figures of other options or text, or of another program, do not meet these. */
  readonly #dir: string;

  private constructor(options: ScaleOptions, tools: ScaleTools, key: string) {
    this.#options = options;
    this.#tools = tools;
    this.#dir = path.resolve(options.work, key);
  }

  static async open(options: ScaleOptions, tools: ScaleTools): Promise<Work> {
    const { questions, sample, decisions } = options;
    const code = await codeHash(undefined, undefined, [...ROOMS, 'bench/scale'], MEASURES_NOTHING);
    const on = JSON.stringify({ code, questions, sample, decisions, real: tools.real });
    return new Work(options, tools, createHash('sha256').update(on).digest('hex').slice(0, 12));
  }

  async sample(): Promise<SampleReport> {
    const { sample: documents, decisions } = this.#options;
    const piece = { what: 'sample', dir: this.#sampleDir, documents, decisions } as const;
    return this.#kept('sample', () => this.#run(piece) as Promise<SampleReport>);
  }

  /** Texts and index of a size. */
  async index(size: number): Promise<Pick<SizeReport, 'text' | 'built' | 'ended'>> {
    const texts = path.join(this.#dir, `texts-${size}`);
    const text = await this.#kept(
      `text-${size}`,
      () => this.#run({ what: 'text', dir: texts, documents: size }) as Promise<TextReport>,
    );
    const piece = { what: 'build', texts, index: this.#indexDir(size), sample: this.#sampleDir } as const;
    try {
      const built = await this.#kept(`build-${size}`, () => this.#run(piece) as Promise<BuiltReport>);
      await rm(texts, { recursive: true, force: true });
      return { text, built, ended: null };
    } catch (error) {
      return { text, built: null, ended: this.#whyEnded(`build-${size}`, error) };
    }
  }

  async asked(size: number, target: Target, cosine: number): Promise<Asked> {
    const { kind, shards = 1 } = target;
    const name = `${kind}-${size}${target.shards === undefined ? '' : `-shards-${shards}`}`;
    const index = this.#indexDir(size);
    const questions = path.join(this.#dir, `questions-${size}.json`);
    try {
      return await this.#kept(name, async () => {
        const count = this.#options.questions;
        await this.#kept(`asked-of-${size}`, () =>
          this.#run({ what: 'questions', index, file: questions, count, cosine }),
        );
        const engine = target.start === undefined ? null : await STARTED[target.start]();
        try {
          const started =
            engine === null ? target.backend : `${engine.backend}${shards === 1 ? '' : `?shards=${shards}`}`;
          const published =
            started === undefined
              ? { ms: null }
              : ((await this.#run({ what: 'publish', index, backend: started })) as { ms: number | null });
          const piece = {
            what: 'ask',
            index,
            backend: started,
            questions,
            pids: engine?.pids() ?? [],
          } as const;
          const asked = (await this.#run(piece)) as AskReport;
          return { backend: kind, shards, publishMs: published.ms, ended: null, asked };
        } finally {
          await engine?.stop();
        }
      });
    } catch (error) {
      return { backend: kind, shards, publishMs: null, ended: this.#whyEnded(name, error), asked: null };
    }
  }

  get #sampleDir(): string {
    return path.join(this.#dir, 'sample');
  }

  /** Its last part is the name of the index in an engine, where it is to take the place of nobody's. */
  #indexDir(size: number): string {
    return path.join(this.#dir, `pragaura-scale-${size}`);
  }

  #run(piece: Piece): Promise<unknown> {
    return this.#tools.run(piece, path.join(this.#dir, 'piece.json'));
  }

  /** What was found before, or is found now. */
  async #kept<T>(name: string, measure: () => Promise<T>): Promise<T> {
    this.#tools.signal.throwIfAborted();
    const file = path.join(this.#dir, 'found', `${name}.json`);
    try {
      return JSON.parse(await readFile(file, 'utf8')) as T;
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw error;
    }
    await mkdir(path.dirname(file), { recursive: true });
    const began = performance.now();
    const found = await measure();
    this.#tools.signal.throwIfAborted();
    await writeWholeFile(file, JSON.stringify(found), 'Name a folder with --work.');
    this.#tools.say(`${name}: ${((performance.now() - began) / 1_000).toFixed(0)} s`);
    return found;
  }

  /** A failure that is a finding: it is not kept, and tried again by the next run. Throws where the run was stopped. */
  #whyEnded(name: string, error: unknown): string {
    this.#tools.signal.throwIfAborted();
    this.#tools.say(`${name}: ${messageOf(error)}`);
    return messageOf(error);
  }
}

function compared({ asked, ...rest }: Asked, reference: Asked): Measured {
  if (asked === null) return { ...rest, asked };
  const wayOf = (name: keyof AskReport['ways']): WayReport => {
    const { firstTen, ...way } = asked.ways[name];
    const wanted = reference.asked?.ways[name].firstTen;
    return { ...way, overlap: wanted === undefined ? null : overlap(wanted, firstTen) };
  };
  const ways = { lexical: wayOf('lexical'), dense: wayOf('dense'), fused: wayOf('fused') };
  return { ...rest, asked: { ...asked, ways } };
}

function overlap(wanted: readonly number[][], found: readonly number[][]): number {
  const shares = wanted.flatMap((own, i) =>
    own.length === 0 ? [] : [own.filter((ordinal) => found[i]!.includes(ordinal)).length / own.length],
  );
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
