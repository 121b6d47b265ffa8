import { PragauraError } from '../../common/index.ts';
import { actByForm, type Explanation, hasRecoverable, type Router } from '../../router/index.ts';
import { sourcesOf } from '../../scorers/index.ts';
import { isAboutShown } from '../labels/examples.ts';
import { shownOf } from '../labels/wrong.ts';
import type { Example, Observation } from '../types.ts';
import { askedOf } from './key.ts';

export interface Measurement {
  observation: Observation;
  /** Milliseconds by stage, waiting for a free thread included; empty for a query that failed. */
  timings: Record<string, number>;
}

/**
 * What a router makes of an example. A query that fails is an observation with the code of its error; ABORTED, when
 * the caller's signal fired, GENERATOR_UNAVAILABLE and what is no failure of ours are thrown.
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
      { id: example.id, ...askedOf(example) },
      {
        ...(signal === undefined ? {} : { signal }),
        ...(isAboutShown(example) ? { compose: 'bound' } : {}),
      },
    );
  } catch (error) {
    if (signal?.aborted || !PragauraError.isInstance(error)) throw error;
    return { observation: failed(example, key, error.code), timings: {} };
  }
  const { failure } = explanation.decision.opinion ?? {};
  // A decision goes on without; what thresholds are set on must not.
  if (failure?.code === 'GENERATOR_UNAVAILABLE') {
    throw new PragauraError('GENERATOR_UNAVAILABLE', failure.message, {
      hint: 'What was measured is kept: once the language model answers, the same command goes on from here.',
    });
  }
  return { observation: observationOf(explanation, example, key), timings: explanation.decision.timings };
}

function observationOf(explanation: Explanation, example: Example, key: string): Observation {
  const { decision, closed, features, planning, candidate, composed, ranking, input } = explanation;
  const defined = definitionOf(decision);
  const answer = defined === null ? (composed?.span ?? null) : decision.answer!;
  return {
    schema: 'pragaura.observation/3',
    key,
    example,
    error: null,
    act: actByForm(decision.selfContained?.text ?? decision.query, decision.act.label),
    closed,
    asks: asks(explanation),
    features,
    sources: input && sourcesOf(input.answers, input.report.verdicts),
    planning,
    ...(defined === null ? {} : { defined: true }),
    candidate: candidateFrom(defined ?? candidate),
    ...(isAboutShown(example) ? { shown: answer === null ? null : shownOf(answer) } : {}),
    ranking,
    receipt: decision.receipt,
    ...(decision.opinion && { opinion: decision.opinion }),
  };
}

/** Only what a vocabulary defines is answered without a U. */
function definitionOf({ action, answer, U, evidence }: Explanation['decision']): Given | null {
  if (action !== 'ANSWER' || answer === undefined || U !== null) return null;
  const [{ text, docId, passageId }] = answer.quotes as [(typeof answer.quotes)[number]];
  const passage = evidence.find((each) => each.passageId === passageId)?.text ?? '';
  return { text, claim: answer.claim ?? '', docId, passageId, passage };
}

type Given = Omit<NonNullable<Explanation['candidate']>, 'score'>;

function candidateFrom(given: Given | null): Observation['candidate'] {
  if (given === null) return null;
  const { text, claim, docId, passageId, passage } = given;
  return { text, claim, docId, passageId, support: supportOf(claim, passage) };
}

/** With open gates it is known where the rule asked, where a reply could supply something, and where there is but one answer. */
function asks({ decision, closed, features, input }: Explanation): boolean | null {
  if (closed !== null || decision.action === 'ASK') return decision.action === 'ASK';
  if (hasRecoverable(input?.state ?? null)) return true;
  return (features.distinctAnswers ?? 0) > 1 ? null : false;
}

function failed(example: Example, key: string, error: string): Observation {
  return {
    schema: 'pragaura.observation/3',
    key,
    example,
    error,
    act: null,
    closed: null,
    asks: null,
    features: null,
    sources: null,
    planning: null,
    candidate: null,
    ranking: [],
    receipt: null,
  };
}

/** English function words: they appear anywhere and support nothing. */
const FUNCTION_WORDS = new Set(
  (
    'a about after all also am an and any are as at be been before being both but by can could did do does doing ' +
    'during each for from had has have having he her hers him his how i if in into is it its may me might more most ' +
    'must my of on once only or other our out over own shall she should so some such than that the their ' +
    'them then there these they this those through to too under until up us very was we were what when where which ' +
    'while who whom whose why will with would you your'
  ).split(' '),
);

/**
 * Share of the claim's content words (occurrences) that stand in the passage, in [0, 1]; null when it has none.
 *
 * The paper (section 4) defines the token support rate SCR(q) as the fraction of predicted-answer tokens that appear
 * in the retrieved context, and 1 - SCR as the unsupported rate. Of an extractive answer every token appears in its
 * passage, so that this is 1 by construction; what can be unsupported is the statement that the answer makes of the
 * question. We therefore count the content words of the claim, and the passage alone as the context: both are
 * stricter than the paper.
 */
export function supportOf(claim: string, passage: string): number | null {
  const words = wordsOf(claim).filter((word) => !FUNCTION_WORDS.has(word));
  if (words.length === 0) return null;
  const held = new Set(wordsOf(passage));
  return words.filter((word) => held.has(word)).length / words.length;
}

/** Runs of letters and digits in lower case, compatibility forms and accents folded. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
