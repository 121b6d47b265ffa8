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
import { type PairPlan, planPair, singleSequence } from './windows.ts';

/** A chosen model with its tokenizer and the outputs that its jobs read. */
export interface Ready extends Chosen {
  tokenizer: TextTokenizer;
  outputs: OutputSpec[];
}

interface Planned {
  plan: PairPlan;
  forwards: Forward[];
  long: Encoding;
}

/** Every output that a model's lock entry names, with what is in it. */
export function outputsOf({ jobs }: Chosen['model']): Map<OutputSpec, Job> {
  const outputs = new Map<OutputSpec, Job>();
  if (jobs.embed !== undefined) {
    const { output, pooling, dimension } = jobs.embed;
    outputs.set({ name: output, kind: pooling === 'cls' ? 'first' : 'mean', width: dimension }, 'embed');
  }
  if (jobs.rerank !== undefined) outputs.set({ name: jobs.rerank.output, kind: 'row', width: 1 }, 'rerank');
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
    const planned = await this.#pairs(ready, pairs.map(queryPassage), 'second', options);
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
    const planned = await this.#pairs(ready, pairs.map(queryPassage), 'second', options);
    return planned.map(({ plan, forwards, long }, i) => {
      const logits = forwards.map((f) => ({ start: f[start]!, end: f[end]! }));
      return readingOf(plan, long, pairs[i]!.passage, logits);
    });
  }

  async nli(pairs: readonly PremiseHypothesis[], options: CallOptions = {}): Promise<Entailment[]> {
    const ready = this.#ready('nli');
    const { output, labels } = ready.model.jobs.nli!;
    const at = this.#place(ready, output);
    const texts = pairs.map(({ premise, hypothesis }) => [premise, hypothesis] as const);
    const planned = await this.#pairs(ready, texts, 'first', options);
    return planned.map(({ plan, forwards }) =>
      entailmentOf(
        plan,
        forwards.map((f) => probabilitiesOf(f[at]!, labels)),
      ),
    );
  }

  async #pairs(
    ready: Ready,
    texts: readonly (readonly [string, string])[],
    long: 'first' | 'second',
    options: CallOptions,
  ): Promise<Planned[]> {
    const { tokenizer, model } = ready;
    const encodings = await tokenizer.encodeAll(texts.flat(), options.signal);
    const plans = texts.map((pair, i) => {
      const [first, second] = [encodings[2 * i]!, encodings[2 * i + 1]!];
      const source = long === 'first' ? pair[0] : pair[1];
      return planPair(tokenizer, first, second, long, source, model.maxTokens);
    });
    const sequences = plans.flatMap((plan) => plan.windows.map((window) => window.sequence));
    const forwards = await this.#pool.run(ready.name, sequences, options);
    let at = 0;
    return plans.map((plan, i) => {
      at += plan.windows.length;
      return {
        plan,
        forwards: forwards.slice(at - plan.windows.length, at),
        long: encodings[long === 'first' ? 2 * i : 2 * i + 1]!,
      };
    });
  }
}

function queryPassage({ query, passage }: QueryPassage): readonly [string, string] {
  return [query, passage];
}
