/** One question through the router, and what every contender makes of the same run. */
import {
  type Action,
  type Decision,
  type Explanation,
  LayerSettings,
  type Router,
} from '../../router/index.ts';
import { runLayers } from '../../router/layers/index.ts';
import { type Shown, shownOf } from './shown.ts';
import type { Question } from './types.ts';

/**
 * `product`: what the router decides. `plain rule`: the layers that look at identifiers and terms, then relevance of at
 * least .5, then the best passage. The others show the best passages whatever was asked.
 */
export const CONTENDERS = ['product', 'plain rule', 'best passage', 'best two'] as const;
export type Contender = (typeof CONTENDERS)[number];

/** What one contender says. */
export interface ContenderOutput {
  action: Action;
  /** Null unless it answers. */
  shown: Shown | null;
  /** Values that a question back offers. */
  offered: readonly string[];
}

/** What is kept of one question. */
export interface Asked {
  id: string;
  query: string;
  said: Record<Contender, ContenderOutput>;
  /** What the router decided, less what is the same for all and what only machines read. */
  decision: Omit<Decision, 'receipt' | 'versions' | 'defaults' | 'votes' | 'state'>;
  /** The gate that closed; null where U against tau decided. */
  closed: string | null;
  /** Largest relevance of a passage that was read, in [0, 1]; null where none was. */
  relevance: number | null;
  /** Milliseconds of the whole query. */
  ms: number;
}

/** Of the plain rule. */
const LEAST_RELEVANCE = 0.5;

const OFF = { on: false };
const PLAIN_LAYERS = LayerSettings.parse({
  scope: OFF,
  distance: OFF,
  poisoned: OFF,
  falsePremise: OFF,
  contradiction: OFF,
  support: OFF,
  bands: OFF,
});

/** Throws what the router throws, ABORTED when the signal fires. */
export async function ask(
  router: Pick<Router, 'explain'>,
  question: Question,
  signal?: AbortSignal,
): Promise<Asked> {
  const { id, query, history, filters } = question;
  const asked = {
    id,
    query,
    ...(history !== undefined && { history }),
    ...(filters !== undefined && { filters }),
  };
  const explained = await router.explain(asked, signal && { signal });
  const {
    receipt: _,
    versions: __,
    defaults: ___,
    votes: ____,
    state: _____,
    ...decision
  } = explained.decision;
  return {
    id,
    query,
    said: saidIn(explained),
    decision,
    closed: explained.closed,
    relevance: mostRelevant(explained),
    ms: decision.timings.total!,
  };
}

/** Every contender on what one run measured. */
export function saidIn(explained: Explanation): Record<Contender, ContenderOutput> {
  const { decision, input } = explained;
  const { action, clarification } = decision;
  // The evidence of the decision begins with the answer's passage.
  const passages = (input?.evidence ?? []).map(({ text }) => text);
  return {
    product: {
      action,
      shown: shownOf(decision),
      offered: [
        ...new Set([
          ...(clarification?.question?.options.map(({ value }) => value) ?? []),
          ...(clarification?.suggestions ?? []),
        ]),
      ],
    },
    'plain rule': plainRule(explained, passages),
    'best passage': passagesShown(passages.slice(0, 1)),
    'best two': passagesShown(passages.slice(0, 2)),
  };
}

function plainRule(explained: Explanation, passages: readonly string[]): ContenderOutput {
  const { input } = explained;
  if (input === null) return SILENT;
  const { decided } = runLayers({ ...input, report: null, premises: null, confidence: null }, PLAIN_LAYERS);
  if (decided?.definition !== undefined) return passagesShown([decided.definition.text]);
  if (decided !== null && decided.effect !== 'EVIDENCE') {
    return {
      action: decided.effect === 'ASK' ? 'ASK' : 'ABSTAIN',
      shown: null,
      offered: decided.suggestions,
    };
  }
  if ((mostRelevant(explained) ?? 0) < LEAST_RELEVANCE) return SILENT;
  return passagesShown(passages.slice(0, 1));
}

const SILENT: ContenderOutput = { action: 'ABSTAIN', shown: null, offered: [] };

function passagesShown(passages: readonly string[]): ContenderOutput {
  if (passages.length === 0) return SILENT;
  const text = passages.join('\n\n');
  const shown: Shown = { text, quotes: passages, verdict: null, form: 'passage', band: 'HIGH', cut: null };
  return { action: 'ANSWER', shown, offered: [] };
}

function mostRelevant({ input }: Explanation): number | null {
  const known = (input?.evidence ?? []).flatMap(({ scores }) => scores.relevance ?? []);
  return known.length === 0 ? null : Math.max(...known);
}
