/** What a collection decided since the server started, for whoever runs it. In memory only, never in logs or metrics. */
import { z } from 'zod';
import { ACTS } from '../../profiles/index.ts';
import { ACTIONS, type Decision, REASONS } from '../../router/index.ts';
import type { Caller } from '../callers.ts';

const count = z.number().int().min(0);
const unit = z.number().min(0).max(1);
const ms = z.number().min(0);

const RecentDecision = z.strictObject({
  /** When it was made. */
  at: z.iso.datetime(),
  id: z.string(),
  /** Who asked: the id of a key or a token, or `local`. */
  caller: z.string(),
  /** Cut after `SHOWN_CHARS`, as is `text`. */
  query: z.string(),
  act: z.enum(ACTS),
  action: z.enum(ACTIONS),
  reason: z.enum(REASONS).nullable(),
  /** What the caller was told. */
  text: z.string(),
  U: unit.nullable(),
  tau: unit.nullable(),
  ms,
});

export const Activity = z.strictObject({
  schema: z.literal('pragaura.activity/1'),
  collection: z.string(),
  /** What follows is counted from here. */
  since: z.iso.datetime(),
  decisions: count,
  acts: z.array(z.strictObject({ act: z.enum(ACTS), answered: count, asked: count, abstained: count })),
  reasons: z.array(z.strictObject({ reason: z.enum(REASONS), decisions: count })),
  /** Queries that could not be decided, by the code of the error. */
  failures: z.array(z.strictObject({ code: z.string(), queries: count })),
  /** Of the decisions that are remembered: milliseconds of each stage of those that came to it, the slowest first. */
  latency: z.array(z.strictObject({ stage: z.string(), decisions: count, p50: ms, p95: ms, most: ms })),
  remembered: count,
  /** The latest first. */
  recent: z.array(RecentDecision),
});
export type Activity = z.infer<typeof Activity>;

/** Of a query, and of what was said to it. */
const SHOWN_CHARS = 300;

interface Remembered {
  recent: z.infer<typeof RecentDecision>;
  timings: Decision['timings'];
}

export class ActivityLog {
  readonly #collection: string;
  /** Decisions that are remembered at most. */
  readonly #most: number;
  readonly #since = new Date();
  #decisions = 0;
  readonly #acts = new Map<Activity['acts'][number]['act'], Record<Decision['action'], number>>();
  readonly #reasons = new Map<Activity['reasons'][number]['reason'], number>();
  readonly #failures = new Map<string, number>();
  /** Oldest first. */
  readonly #remembered: Remembered[] = [];

  constructor(collection: string, most: number) {
    this.#collection = collection;
    this.#most = most;
  }

  decided(decision: Decision, caller: Pick<Caller, 'id'>): void {
    const { id, query, action, answer, clarification, abstention, U, tau, timings } = decision;
    const act = decision.act.label;
    const reason = (clarification ?? abstention)?.reason ?? null;
    this.#decisions += 1;
    const actions = this.#acts.get(act) ?? { ANSWER: 0, ASK: 0, ABSTAIN: 0 };
    actions[action] += 1;
    this.#acts.set(act, actions);
    if (reason !== null) this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    if (this.#most === 0) return;
    if (this.#remembered.length >= this.#most) this.#remembered.shift();
    const told = answer?.text ?? (clarification ?? abstention)?.message ?? '';
    this.#remembered.push({
      recent: {
        ...{ at: new Date().toISOString(), id, caller: caller.id, query: shown(query), act, action, reason },
        ...{ text: shown(told), U, tau, ms: timings.total ?? 0 },
      },
      timings,
    });
  }

  /** A query that could not be decided. */
  failed(code: string): void {
    this.#failures.set(code, (this.#failures.get(code) ?? 0) + 1);
  }

  /** `recent`: decisions that are listed at most. */
  report(recent: number): Activity {
    return {
      schema: 'pragaura.activity/1',
      collection: this.#collection,
      since: this.#since.toISOString(),
      decisions: this.#decisions,
      acts: byCount([...this.#acts], ([, { ANSWER, ASK, ABSTAIN }]) => ANSWER + ASK + ABSTAIN).map(
        ([act, { ANSWER, ASK, ABSTAIN }]) => ({ act, answered: ANSWER, asked: ASK, abstained: ABSTAIN }),
      ),
      reasons: byCount([...this.#reasons], ([, n]) => n).map(([reason, decisions]) => ({
        reason,
        decisions,
      })),
      failures: byCount([...this.#failures], ([, n]) => n).map(([code, queries]) => ({ code, queries })),
      latency: this.#latency(),
      remembered: this.#remembered.length,
      recent:
        recent === 0
          ? []
          : this.#remembered
              .slice(-recent)
              .map((each) => each.recent)
              .reverse(),
    };
  }

  #latency(): Activity['latency'] {
    const stages = new Map<string, number[]>();
    for (const { timings } of this.#remembered) {
      for (const [stage, took] of Object.entries(timings)) {
        const all = stages.get(stage) ?? [];
        all.push(took);
        stages.set(stage, all);
      }
    }
    const rows = [...stages].map(([stage, all]) => {
      all.sort((a, b) => a - b);
      return { stage, decisions: all.length, p50: rank(all, 0.5), p95: rank(all, 0.95), most: all.at(-1)! };
    });
    return byCount(rows, ({ p50 }) => p50);
  }
}

const shown = (text: string) => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);

const byCount = <T>(rows: T[], of: (row: T) => number): T[] => rows.sort((a, b) => of(b) - of(a));

/** Quantile by the nearest rank. */
const rank = (sorted: readonly number[], share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
