import type { Readable, Writable } from 'node:stream';
import { recordParser, runRecords } from '../../common/index.ts';
import { Query, type Router } from '../../router/index.ts';
import { type GenerateOptions, type Generation, generateAnswer } from '../generate.ts';

const parse = recordParser(Query, 'One query a line, for example {"id": "q1", "query": "Who wrote it?"}.');

export interface GenerateStreamOptions extends Omit<GenerateOptions, 'signal'> {
  input: Readable;
  output: Writable;
  errors?: (message: string) => void;
  window: number;
  signal?: AbortSignal;
}

/** Decides every line of `input`, and generates where the decision is ANSWER; gives the exit code. */
export async function runGenerate(
  router: Pick<Router, 'route'>,
  { generator, scorers, factuality, prices, samples, lowBand, budget, ...streams }: GenerateStreamOptions,
): Promise<number> {
  const { errors } = streams;
  let told = false;
  const summary = await runRecords({
    ...streams,
    parse,
    process: async (query, signal) => {
      const decision = await router.route(query, { signal });
      const generation = await whole(
        generateAnswer(decision, {
          generator,
          scorers,
          factuality,
          prices,
          samples,
          lowBand,
          ...(budget !== undefined && { budget }),
          signal,
        }),
      );
      const failure = generation?.failure ?? null;
      // The record of each says it; the first one is told to whoever watches.
      if (failure !== null && !told) {
        told = true;
        errors?.(`${failure.message} ${failure.hint ?? ''}`.trimEnd());
      }
      return { schema: 'pragaura.generated/1', id: query.id, decision, generation };
    },
  });
  return summary.exitCode;
}

/** The record of an answer, its sentences passed over. */
async function whole(answer: AsyncGenerator<string, Generation | null>): Promise<Generation | null> {
  for (;;) {
    const next = await answer.next();
    if (next.done) return next.value;
  }
}
