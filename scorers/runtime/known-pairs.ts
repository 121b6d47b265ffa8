/** Pairs whose outcome is known, run when the models are loaded: the guard against another label order. */
import { winner } from '../nli/nli.ts';
import type { Job } from '../types.ts';
import type { Engine } from './engine.ts';
import type { Chosen } from './registry.ts';

/** What came out otherwise than the lock file says, in words; null when all is well. */
export async function checkKnownPairs(engine: Engine, { model, jobs }: Chosen): Promise<string | null> {
  const checks: Record<Job, () => Promise<string | null>> = {
    embed: async () => {
      for (const { text, near, far } of model.jobs.embed!.known) {
        const [t, n, f] = await engine.embed([text, near, far]);
        if (!(dot(t!, n!) > dot(t!, f!)))
          return `${quoted(text)} is not nearer to ${quoted(near)} than to ${quoted(far)}`;
      }
      return null;
    },
    rerank: async () => {
      for (const { query, title, better, worse } of model.jobs.rerank!.known) {
        const [b, w] = await engine.rerank([
          { query, title, passage: better },
          { query, title, passage: worse },
        ]);
        if (!(b!.score > w!.score))
          return `for ${quoted(query)} it prefers ${quoted(worse)} to ${quoted(better)}`;
      }
      return null;
    },
    read: async () => {
      for (const { query, title, passage, answer } of model.jobs.read!.known) {
        const [reading] = await engine.read([{ query, title, passage }]);
        const found = reading!.margin > 0 ? reading!.best!.text : null;
        if (found !== answer) return `to ${quoted(query)} it reads ${quoted(found)}, not ${quoted(answer)}`;
      }
      return null;
    },
    nli: async () => {
      for (const { premise, hypothesis, label } of model.jobs.nli!.known) {
        const [result] = await engine.nli([{ premise, hypothesis }]);
        const found = winner(result!);
        if (found !== label)
          return `${quoted(premise)} and ${quoted(hypothesis)} give ${found}, not ${label}`;
      }
      return null;
    },
  };
  for (const job of jobs) {
    const wrong = await checks[job]();
    if (wrong !== null) return `${job}: ${wrong}`;
  }
  return null;
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}

function quoted(text: string | null): string {
  return JSON.stringify(text);
}
