/** The four jobs over a pool: texts in, windows through the models, results out. */
import { PragauraError } from '../../common/index.ts';
import { entailmentOf, probabilitiesOf, relevanceOf, unitVector } from '../outputs.ts';
import { readingOf } from '../read.ts';
import type {
  CallOptions,
  Entailment,
  Job,
  PremiseHypothesis,
  QueryPassage,
  Reading,
  Relevance,
} from '../types.ts';
import type { Pool } from './pool.ts';
import type { OutputSpec } from './protocol.ts';
import type { Forward } from './queue.ts';
import type { Chosen } from './registry.ts';
import type { Encoding, TextTokenizer } from './tokenizer.ts';
import { type PairPlan, planPair, planReading, singleSequence } from './windows.ts';

/** A chosen model with its tokenizer and the outputs that its jobs read. */
export interface Ready extends Chosen {
  tokenizer: TextTokenizer;
  outputs: OutputSpec[];
}

/** A question against a passage. `lower`: what the lower half of the graph made of its windows, or the whole one. */
interface Planned {
  ready: Ready;
  plan: PairPlan;
  passage: Encoding;
  lower: Forward[];
}

interface Run {
  plan: PairPlan;
  passage: Encoding;
  forwards: Forward[];
}

/** The upper half of a graph, as the threads call it. No model of a lock file can have this name. */
export function upperOf(name: string): string {
  return `${name}/upper`;
}

/** Texts of a question against a passage: both of them, title and heading. */
const TEXTS = 4;

/** Places of a lower half's outputs. */
const HIDDEN = 0;
const EARLY = 1;

/** The outputs of a lower half: hidden states and early relevance. */
export function lowerOutputsOf({ upper, jobs }: Chosen['model']): OutputSpec[] {
  return [
    { name: upper!.hidden, kind: 'tokens', width: upper!.width },
    { name: jobs.rerank!.early!, kind: 'row', width: 1 },
  ];
}

/** Every output that a model's lock entry names, with what is in it; of halves, those of the upper one. */
export function outputsOf({ jobs }: Chosen['model']): Map<OutputSpec, Job> {
  const outputs = new Map<OutputSpec, Job>();
  if (jobs.embed !== undefined) {
    const { output, pooling, dimension } = jobs.embed;
    outputs.set({ name: output, kind: pooling === 'cls' ? 'first' : 'mean', width: dimension }, 'embed');
  }
  if (jobs.rerank !== undefined) {
    outputs.set({ name: jobs.rerank.output, kind: 'row', width: 1 }, 'rerank');
  }
  if (jobs.read !== undefined) {
    outputs.set({ name: jobs.read.start, kind: 'tokens', width: 1 }, 'read');
    outputs.set({ name: jobs.read.end, kind: 'tokens', width: 1 }, 'read');
  }
  if (jobs.nli !== undefined) {
    outputs.set({ name: jobs.nli.output, kind: 'row', width: jobs.nli.labels.length }, 'nli');
  }
  return outputs;
}

export class Engine {
  readonly #byJob = new Map<Job, Ready>();
  readonly #pool: Pool;
  /** What the lower half made of a pair, for as long as somebody holds the pair. */
  readonly #seen = new WeakMap<QueryPassage, Planned>();

  constructor(models: readonly Ready[], pool: Pool) {
    this.#pool = pool;
    for (const model of models) for (const job of model.jobs) this.#byJob.set(job, model);
  }

  #ready(job: Job): Ready {
    const ready = this.#byJob.get(job);
    if (ready !== undefined) return ready;
    throw new PragauraError('CONFIGURATION', `the scorers were opened without the job "${job}"`, {
      hint: 'name it in the option `jobs`',
    });
  }

  /** The place of an output in a forward result. */
  #place({ outputs }: Ready, name: string): number {
    return outputs.findIndex((output) => output.name === name);
  }

  async embed(texts: readonly string[], options: CallOptions = {}): Promise<Float32Array[]> {
    const ready = this.#ready('embed');
    const encodings = await ready.tokenizer.encodeAll(texts, options.signal);
    const sequences = encodings.map((e) => singleSequence(ready.tokenizer, e, ready.model.maxTokens));
    const forwards = await this.#pool.run(ready.name, sequences, options);
    const at = this.#place(ready, ready.model.jobs.embed!.output);
    return forwards.map((forward) => unitVector(forward[at]!));
  }

  /**
   * Relevance as the lower half sees it. The same pair objects are then read without running that half again. Throws
   * CONFIGURATION for a model that is whole.
   */
  async early(pairs: readonly QueryPassage[], options: CallOptions = {}): Promise<Relevance[]> {
    const ready = this.#ready('rerank');
    if (ready.model.upper === undefined) {
      throw new PragauraError('CONFIGURATION', `the model "${ready.name}" has no lower half`, {
        hint: 'look at `info.keep` first',
      });
    }
    const planned = await this.#questions(ready, pairs, options);
    planned.forEach((one, i) => void this.#seen.set(pairs[i]!, one));
    return planned.map(({ plan, lower }) =>
      relevanceOf(
        plan,
        lower.map((f) => f[EARLY]![0]!),
      ),
    );
  }

  async rerank(pairs: readonly QueryPassage[], options: CallOptions = {}): Promise<Relevance[]> {
    const ready = this.#ready('rerank');
    const at = this.#place(ready, ready.model.jobs.rerank!.output);
    const planned = await this.#read(ready, pairs, options);
    return planned.map(({ plan, forwards }) =>
      relevanceOf(
        plan,
        forwards.map((f) => f[at]![0]!),
      ),
    );
  }

  async read(pairs: readonly QueryPassage[], options: CallOptions = {}): Promise<Reading[]> {
    const ready = this.#ready('read');
    const start = this.#place(ready, ready.model.jobs.read!.start);
    const end = this.#place(ready, ready.model.jobs.read!.end);
    const planned = await this.#read(ready, pairs, options);
    return planned.map(({ plan, forwards, passage }, i) => {
      const logits = forwards.map((f) => ({ start: f[start]!, end: f[end]! }));
      return readingOf(plan, passage, pairs[i]!.passage, logits);
    });
  }

  async nli(pairs: readonly PremiseHypothesis[], options: CallOptions = {}): Promise<Entailment[]> {
    const ready = this.#ready('nli');
    const { output, labels } = ready.model.jobs.nli!;
    const at = this.#place(ready, output);
    const { tokenizer, model } = ready;
    const texts = pairs.flatMap(({ premise, hypothesis }) => [premise, hypothesis]);
    const encodings = await tokenizer.encodeAll(texts, options.signal);
    const plans = pairs.map(({ premise }, i) =>
      planPair(tokenizer, encodings[2 * i]!, encodings[2 * i + 1]!, 'first', premise, model.maxTokens),
    );
    const lower = await this.#lower(ready, plans, options);
    const forwards = await this.#upper(ready, plans, lower, options);
    return plans.map((plan, i) =>
      entailmentOf(
        plan,
        forwards[i]!.map((f) => probabilitiesOf(f[at]!, labels)),
      ),
    );
  }

  async #read(ready: Ready, pairs: readonly QueryPassage[], options: CallOptions): Promise<Run[]> {
    // What another model saw of a pair says nothing here.
    const known = pairs.map((pair) => {
      const seen = this.#seen.get(pair);
      return seen?.ready === ready ? seen : undefined;
    });
    const missing = pairs.filter((_, i) => known[i] === undefined);
    const fresh = await this.#questions(ready, missing, options);
    let at = 0;
    const planned = known.map((one) => one ?? fresh[at++]!);
    const plans = planned.map(({ plan }) => plan);
    const lower = planned.map((one) => one.lower);
    const forwards = await this.#upper(ready, plans, lower, options);
    return planned.map(({ plan, passage }, i) => ({ plan, passage, forwards: forwards[i]! }));
  }

  /** Questions against passages, laid out as the model was trained on them, through the lower half or the whole. */
  async #questions(ready: Ready, pairs: readonly QueryPassage[], options: CallOptions): Promise<Planned[]> {
    const { tokenizer, model } = ready;
    const { titled, maxTokens } = model;
    const texts = pairs.flatMap(({ query, passage, title = '', heading = '' }) => [
      query,
      passage,
      ...(titled === undefined ? ['', ''] : [title, heading]),
    ]);
    const encodings = await tokenizer.encodeAll(texts, options.signal);
    const plans = pairs.map(({ passage }, i) => {
      const own = encodings.slice(TEXTS * i, TEXTS * (i + 1));
      const [query, text, title, heading] = own as [Encoding, Encoding, Encoding, Encoding];
      return titled === undefined
        ? planPair(tokenizer, query, text, 'second', passage, maxTokens)
        : planReading(tokenizer, { query, title, heading, passage: text }, passage, maxTokens, titled);
    });
    const lower = await this.#lower(ready, plans, options);
    return plans.map((plan, i) => ({ ready, plan, passage: encodings[TEXTS * i + 1]!, lower: lower[i]! }));
  }

  /** Each plan's windows through the lower half, or through a graph that is whole. */
  async #lower(ready: Ready, plans: readonly PairPlan[], options: CallOptions): Promise<Forward[][]> {
    const sequences = plans.flatMap((plan) => plan.windows.map((window) => window.sequence));
    return dealt(plans, await this.#pool.run(ready.name, sequences, options));
  }

  /** What the lower half gave through the upper one; of a graph that is whole, what it gave. */
  async #upper(
    { name, model }: Ready,
    plans: readonly PairPlan[],
    lower: readonly Forward[][],
    options: CallOptions,
  ): Promise<readonly Forward[][]> {
    if (model.upper === undefined) return lower;
    const sequences = plans.flatMap(({ windows }, i) =>
      windows.map(({ sequence }, w) => ({ ...sequence, hidden: lower[i]![w]![HIDDEN]! })),
    );
    return dealt(plans, await this.#pool.run(upperOf(name), sequences, options));
  }
}

/** The results of all windows, those of each plan together. */
function dealt(plans: readonly PairPlan[], forwards: readonly Forward[]): Forward[][] {
  let at = 0;
  return plans.map(({ windows }) => {
    at += windows.length;
    return forwards.slice(at - windows.length, at);
  });
}
