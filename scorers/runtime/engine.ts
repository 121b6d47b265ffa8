/** The four jobs over a pool: texts in, windows through the models, results out. */
import { PragauraError } from '../../errors.ts';
import { unitVector } from '../embed/embed.ts';
import { entailmentOf, probabilitiesOf } from '../nli/nli.ts';
import { readingOf } from '../read/read.ts';
import { relevanceOf } from '../rerank/rerank.ts';
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

interface Planned {
  plan: PairPlan;
  forwards: Forward[];
  passage: Encoding;
}

/** Every output that a model's lock entry names, with what is in it. */
export function outputsOf({ jobs }: Chosen['model']): Map<OutputSpec, Job> {
  const outputs = new Map<OutputSpec, Job>();
  if (jobs.embed !== undefined) {
    const { output, pooling, dimension } = jobs.embed;
    outputs.set({ name: output, kind: pooling === 'cls' ? 'first' : 'mean', width: dimension }, 'embed');
  }
  if (jobs.rerank !== undefined) {
    outputs.set({ name: jobs.rerank.output, kind: 'row', width: 1 }, 'rerank');
    if (jobs.rerank.early !== undefined)
      outputs.set({ name: jobs.rerank.early, kind: 'row', width: 1 }, 'rerank');
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

  async rerank(pairs: readonly QueryPassage[], options: CallOptions = {}): Promise<Relevance[]> {
    const ready = this.#ready('rerank');
    const at = this.#place(ready, ready.model.jobs.rerank!.output);
    const planned = await this.#questions(ready, pairs, options);
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
    const planned = await this.#questions(ready, pairs, options);
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
    const forwards = await this.#forward(ready, plans, options);
    return plans.map((plan, i) =>
      entailmentOf(
        plan,
        forwards[i]!.map((f) => probabilitiesOf(f[at]!, labels)),
      ),
    );
  }

  /** Questions against passages, laid out as the model was trained on them. */
  async #questions(ready: Ready, pairs: readonly QueryPassage[], options: CallOptions): Promise<Planned[]> {
    const { tokenizer, model } = ready;
    const { titled, maxTokens } = model;
    const texts = pairs.flatMap(({ query, passage, title }) => [
      query,
      passage,
      titled === undefined ? '' : (title ?? ''),
    ]);
    const encodings = await tokenizer.encodeAll(texts, options.signal);
    const plans = pairs.map(({ passage }, i) => {
      const [query, text, title] = encodings.slice(3 * i, 3 * i + 3) as [Encoding, Encoding, Encoding];
      return titled === undefined
        ? planPair(tokenizer, query, text, 'second', passage, maxTokens)
        : planReading(tokenizer, { query, title, passage: text }, passage, maxTokens, titled);
    });
    const forwards = await this.#forward(ready, plans, options);
    return plans.map((plan, i) => ({ plan, forwards: forwards[i]!, passage: encodings[3 * i + 1]! }));
  }

  /** The outputs of each plan's windows. */
  async #forward(ready: Ready, plans: readonly PairPlan[], options: CallOptions): Promise<Forward[][]> {
    const sequences = plans.flatMap((plan) => plan.windows.map((window) => window.sequence));
    const forwards = await this.#pool.run(ready.name, sequences, options);
    let at = 0;
    return plans.map(({ windows }) => {
      at += windows.length;
      return forwards.slice(at - windows.length, at);
    });
  }
}
