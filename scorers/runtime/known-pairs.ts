/** Pairs whose outcome is known, run when the models are loaded: the guard against another label order. */
import { winner } from '../outputs.ts';
import type { Entailment, Job, Reading, Relevance } from '../types.ts';
import type { Engine } from './engine.ts';
import type { Chosen } from './registry.ts';

/** What a model made of its known pairs, in their order; nothing for jobs that it is not chosen for. */
export interface KnownScores {
  /** Three to a known triple. */
  embed: Float32Array[];
  /** Two to a known pair: the better, the worse. */
  rerank: Relevance[];
  /** The same pairs as the lower half sees them; nothing where the model is whole. */
  early: Relevance[];
  read: Reading[];
  nli: Entailment[];
}

/** Runs them all at once: what two jobs have in common is run once, and every thread has its share. */
export async function scoreKnownPairs(engine: Engine, { model, jobs }: Chosen): Promise<KnownScores> {
  const { embed, rerank, read, nli } = model.jobs;
  const of = <T, R>(job: Job, items: T[] | undefined, score: (items: T[]) => Promise<R[]>): Promise<R[]> =>
    jobs.includes(job) && items !== undefined ? score(items) : Promise.resolve([]);
  const texts = embed?.known.flatMap(({ text, near, far }) => [text, near, far]);
  const ranked = rerank?.known.flatMap(({ query, title, better, worse }) =>
    [better, worse].map((passage) => ({ query, title, passage })),
  );
  const asked = read?.known.map(({ query, title, passage }) => ({ query, title, passage }));
  const [vectors, relevances, looks, readings, verdicts] = await Promise.all([
    of('embed', texts, (items) => engine.embed(items)),
    of('rerank', ranked, (items) => engine.rerank(items)),
    of('rerank', model.upper === undefined ? undefined : ranked, (items) => engine.early(items)),
    of('read', asked, (items) => engine.read(items)),
    of('nli', nli?.known, (items) => engine.nli(items)),
  ]);
  return { embed: vectors, rerank: relevances, early: looks, read: readings, nli: verdicts };
}

/** What came out otherwise than the lock file says, in words; null when all is well. */
export function wrongAmong({ model, jobs }: Chosen, scores: KnownScores): string | null {
  const { embed, rerank, read, nli } = model.jobs;
  const misplaced = (relevances: readonly Relevance[], prefers: string): (string | null)[] =>
    rerank!.known.map(({ query, better, worse }, i) => {
      if (relevances[2 * i]!.score > relevances[2 * i + 1]!.score) return null;
      return `for ${quoted(query)} it ${prefers} ${quoted(worse)} to ${quoted(better)}`;
    });
  const checks: Record<Job, () => (string | null)[]> = {
    embed: () =>
      embed!.known.map(({ text, near, far }, i) => {
        const [of, one, other] = scores.embed.slice(3 * i) as [Float32Array, Float32Array, Float32Array];
        if (dot(of, one) > dot(of, other)) return null;
        return `${quoted(text)} is not nearer to ${quoted(near)} than to ${quoted(far)}`;
      }),
    rerank: () => [
      ...misplaced(scores.rerank, 'prefers'),
      ...(scores.early.length === 0 ? [] : misplaced(scores.early, 'at first prefers')),
    ],
    read: () =>
      read!.known.map(({ query, answer }, i) => {
        const { margin, best } = scores.read[i]!;
        const found = margin > 0 ? best!.text : null;
        return found === answer
          ? null
          : `to ${quoted(query)} it reads ${quoted(found)}, not ${quoted(answer)}`;
      }),
    nli: () =>
      nli!.known.map(({ premise, hypothesis, label }, i) => {
        const found = winner(scores.nli[i]!);
        return found === label
          ? null
          : `${quoted(premise)} and ${quoted(hypothesis)} give ${found}, not ${label}`;
      }),
  };
  for (const job of jobs) {
    const wrong = checks[job]().find((one) => one !== null);
    if (wrong !== undefined) return `${job}: ${wrong}`;
  }
  return null;
}

/**
 * How far another provider's scores may be from the CPU's. Floats are within a hundredth of it; beyond it decisions
 * flip, and no threshold was set on such scores.
 */
export const PROVIDER_PARITY = { cosine: 0.001, logit: 0.1, probability: 0.01 } as const;

/** Which of the known scores are further apart than PROVIDER_PARITY allows, in words; null when none is. */
export function apart(scores: KnownScores, cpu: KnownScores): string | null {
  const differences = [
    {
      what: 'a cosine',
      most: PROVIDER_PARITY.cosine,
      by: largest(scores.embed, cpu.embed, (a, b) => 1 - dot(a, b)),
    },
    {
      what: 'a relevance logit',
      most: PROVIDER_PARITY.logit,
      by: largest(scores.rerank, cpu.rerank, (a, b) => Math.abs(a.logit - b.logit)),
    },
    {
      what: 'an early relevance logit',
      most: PROVIDER_PARITY.logit,
      by: largest(scores.early, cpu.early, (a, b) => Math.abs(a.logit - b.logit)),
    },
    {
      what: 'a reading logit',
      most: PROVIDER_PARITY.logit,
      by: largest(scores.read, cpu.read, (a, b) =>
        Math.max(Math.abs(a.noAnswer - b.noAnswer), Math.abs((a.best?.score ?? 0) - (b.best?.score ?? 0))),
      ),
    },
    {
      what: 'a probability of entailment',
      most: PROVIDER_PARITY.probability,
      by: largest(scores.nli, cpu.nli, (a, b) =>
        Math.max(
          ...(['entailment', 'neutral', 'contradiction'] as const).map((label) =>
            Math.abs(a[label] - b[label]),
          ),
        ),
      ),
    },
  ];
  // Written so that what is no number is too far.
  const far = differences.find(({ by, most }) => !(by <= most));
  return far === undefined
    ? null
    : `its scores are not the CPU's: ${far.what} is ${far.by.toPrecision(2)} off, ${far.most} at most; weights in float may do ("pragaura models dequantize")`;
}

function largest<T>(ours: readonly T[], cpu: readonly T[], off: (a: T, b: T) => number): number {
  return ours.reduce((most, one, i) => Math.max(most, off(one, cpu[i]!)), 0);
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}

function quoted(text: string | null): string {
  return JSON.stringify(text);
}
