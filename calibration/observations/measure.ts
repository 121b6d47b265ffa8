import { PragauraError } from '../../errors.ts';
import type { Explanation, Router } from '../../router/index.ts';
import type { Example, Observation } from '../types.ts';
import { supportOf } from './support.ts';

export interface Measurement {
  observation: Observation;
  /** Milliseconds by stage, waiting for a free thread included; empty for a query that failed. */
  timings: Record<string, number>;
}

/**
 * What a router makes of an example. A query that fails is an observation with the code of its error; ABORTED, when
 * the caller's signal fired, and what is no failure of ours are thrown.
 */
export async function measure(
  router: Pick<Router, 'explain'>,
  example: Example,
  key: string,
  signal?: AbortSignal,
): Promise<Measurement> {
  let explanation: Explanation;
  try {
    explanation = await router.explain(
      { id: example.id, query: example.query },
      signal === undefined ? {} : { signal },
    );
  } catch (error) {
    if (signal?.aborted || !PragauraError.isInstance(error)) throw error;
    return { observation: failed(example, key, error.code), timings: {} };
  }
  return { observation: observationOf(explanation, example, key), timings: explanation.decision.timings };
}

function observationOf(explanation: Explanation, example: Example, key: string): Observation {
  const { decision, closed, features, candidate, ranking } = explanation;
  return {
    schema: 'pragaura.observation/1',
    key,
    example,
    error: null,
    act: decision.act.label,
    closed,
    asks: asks(explanation),
    features,
    candidate: candidate && {
      text: candidate.text,
      claim: candidate.claim,
      docId: candidate.docId,
      passageId: candidate.passageId,
      support: supportOf(candidate.claim, candidate.passage),
    },
    ranking,
    receipt: decision.receipt,
  };
}

/** With open gates it is known only where the provisional rule asked, or where there is but one answer. */
function asks({ decision, closed, features }: Explanation): boolean | null {
  if (closed !== null || decision.action === 'ASK') return decision.action === 'ASK';
  return (features.distinctAnswers ?? 0) > 1 ? null : false;
}

function failed(example: Example, key: string, error: string): Observation {
  return {
    schema: 'pragaura.observation/1',
    key,
    example,
    error,
    act: null,
    closed: null,
    asks: null,
    features: null,
    candidate: null,
    ranking: [],
    receipt: null,
  };
}
