/** Every sentence of an answer held against the passages that it leans on. */
import type { Act } from '../profiles/index.ts';
import type { Scorers } from '../scorers/index.ts';
import { type CitedSentence, claimsOf, sentencesOf } from './claims.ts';
import { type FactualityThresholds, guaranteeOf, isKept } from './factuality.ts';
import { type Fault, type Held, heldIn, namesNotIn, numbersNotIn } from './faults.ts';
import { type CutPassage, cutPassage, type SourcePassage, type Stretch, stretchesFor } from './premises.ts';
import { SENTENCE_LABELS, type SentenceLabel, type Verification, type VerifiedSentence } from './record.ts';

/**
 * From which entailment a claim counts as borne out, fitted by `pragaura bench verify` on public sets of which each was left
 * out once; and from which contradiction as denied, the limit that C has too (`scorers/signals`). With
 * faults: what cost least among none, .8, .9 and never in one look at a smaller draw of the same sets; no figure left out.
 */
export const VERIFY_THRESHOLDS: VerifyThresholds = { supported: 0.23, faulted: 0.8, contradicted: 0.5 };

/** All in [0, 1]. `faulted`: of a claim in a sentence with a name or number that stands in no passage. */
export interface VerifyThresholds {
  supported: number;
  faulted: number;
  contradicted: number;
}

export interface VerifyOptions {
  /** What runs the entailment model: `openScorers({ jobs: ['nli'] })`. */
  scorers: Pick<Scorers, 'nli'>;
  thresholds?: VerifyThresholds;
  /** Labels are then by the threshold of `act`, or of all acts, under which a promise holds. */
  factuality?: FactualityThresholds | undefined;
  act?: Act | null | undefined;
  signal?: AbortSignal | undefined;
}

/** Passages made ready for many sentences. */
export interface Sources {
  passages: readonly CutPassage[];
  held: Held;
  /** What may be named without standing in a passage, because the question names it. */
  heldOrAsked: Held;
  question: string | undefined;
}

/**
 * Verifies an answer, sentence by sentence. Each claim of a sentence is held against the passages that it cites; where
 * these do not bear it out, against all of them. Contradiction is looked at first: a claim is denied where contradiction
 * is at its threshold or above and more than the entailment by any stretch. A sentence is worth its weakest claim. A
 * number that stands in no passage, or a name that stands in none nor in the question, is a fault on record, and asks for
 * clearer support (`faulted`): a passage may name its subject elsewhere, or in other words. Without passages nothing is
 * supported.
 *
 * A claim too long for the model to see whole is not supported. Throws ABORTED and SCORING_FAILED, as the scorers do.
 */
export async function verifyAnswer(
  {
    answer,
    passages,
    question,
  }: { answer: string; passages: readonly SourcePassage[]; question?: string | undefined },
  options: VerifyOptions,
): Promise<Verification> {
  const sources = sourcesOf(passages, question);
  const judged = await Promise.all(
    sentencesOf(answer).map((sentence) => verifySentence(sentence, sources, options)),
  );
  return verificationOf(judged, options);
}

/** What `verifySentence` said of the sentences of one answer, as one record. */
export function verificationOf(
  judged: readonly JudgedSentence[],
  { factuality, act = null }: Pick<VerifyOptions, 'factuality' | 'act'>,
): Verification {
  const counts = Object.fromEntries(SENTENCE_LABELS.map((label) => [label, 0])) as Record<
    SentenceLabel,
    number
  >;
  for (const { sentence } of judged) counts[sentence.label] += 1;
  return {
    schema: 'pragaura.verification/2',
    sentences: judged.map(({ sentence }) => sentence),
    counts,
    nliPairs: judged.reduce((sum, { nliPairs }) => sum + nliPairs, 0),
    truncatedTokens: judged.reduce((sum, { truncatedTokens }) => sum + truncatedTokens, 0),
    guarantee: factuality === undefined ? null : guaranteeOf(factuality, act),
  };
}

export function sourcesOf(passages: readonly SourcePassage[], question?: string): Sources {
  const cut = passages.map((passage, i) => cutPassage(passage, i + 1));
  const all = passages.map(({ text, title = '' }) => `${title}\n${text}`).join('\n');
  return { passages: cut, held: heldIn(all), heldOrAsked: heldIn(`${all}\n${question ?? ''}`), question };
}

export interface JudgedSentence {
  sentence: VerifiedSentence;
  nliPairs: number;
  truncatedTokens: number;
}

/** What the model made of one claim: the stretch that entails it most, and the one that contradicts it most. */
interface JudgedClaim {
  entailment: number;
  contradiction: number;
  by: Stretch | null;
  against: Stretch | null;
}

/** One sentence of an answer; see `verifyAnswer`. */
export async function verifySentence(
  { start, end, text, citations }: CitedSentence,
  sources: Sources,
  { scorers, thresholds = VERIFY_THRESHOLDS, factuality, act = null, signal }: VerifyOptions,
): Promise<JudgedSentence> {
  const faults: Fault[] = citations
    .filter((number) => number < 1 || number > sources.passages.length)
    .map((number) => ({ fault: 'NO_SUCH_PASSAGE', text: `[${number}]` }));
  const claims = claimsOf(text, sources.question);
  let [nliPairs, truncatedTokens] = [0, 0];

  const judge = async (claim: string, passages: readonly CutPassage[]): Promise<JudgedClaim | null> => {
    const stretches = stretchesFor(claim, passages);
    if (stretches.length === 0) return null;
    const scores = await scorers.nli(
      stretches.map(({ premise }) => ({ premise, hypothesis: claim })),
      { signal },
    );
    nliPairs += scores.length;
    const judged: JudgedClaim = { entailment: 0, contradiction: 0, by: null, against: null };
    for (const [i, { entailment, contradiction, truncatedTokens: cut }] of scores.entries()) {
      truncatedTokens += cut;
      // What the model did not see to its end it cannot bear out.
      if (cut === 0 && entailment > judged.entailment)
        Object.assign(judged, { entailment, by: stretches[i] });
      if (contradiction > judged.contradiction)
        Object.assign(judged, { contradiction, against: stretches[i] });
    }
    return judged;
  };
  const lacking =
    claims.length === 0
      ? []
      : [...numbersNotIn(text, sources.held), ...namesNotIn(text, sources.heldOrAsked)];
  const least = lacking.length === 0 ? thresholds.supported : thresholds.faulted;
  const stance = ({ entailment, contradiction }: JudgedClaim): SentenceLabel => {
    if (contradiction >= thresholds.contradicted && contradiction > entailment) return 'contradicted';
    return entailment >= least ? 'supported' : 'unsupported';
  };

  const cited = sources.passages.filter(({ number }) => citations.includes(number));
  const judged = await Promise.all(
    claims.map(async (claim) => {
      const own = cited.length === 0 ? null : await judge(claim, cited);
      if (own !== null && stance(own) === 'supported') return { ...own, elsewhere: false };
      const any = cited.length === sources.passages.length ? own : await judge(claim, sources.passages);
      if (any === null) return null;
      return { ...any, elsewhere: cited.length > 0 && stance(any) === 'supported' };
    }),
  );
  const compared = judged.filter((claim) => claim !== null);
  if (compared.some(({ elsewhere }) => elsewhere)) {
    faults.push({ fault: 'OTHER_PASSAGE', text: citations.map((number) => `[${number}]`).join('') });
  }
  const stances = compared.map(stance);
  const score = compared.length === 0 ? null : Math.min(...compared.map(({ entailment }) => entailment));
  const denied = stances.includes('contradicted');
  const whole = compared.length === claims.length && !denied;
  const support = claims.length === 0 ? null : whole ? supportOf(score!, lacking.length > 0, thresholds) : 0;
  const keeps =
    factuality === undefined
      ? whole && stances.every((one) => one === 'supported')
      : isKept(support, factuality.thresholdFor(act));
  const label = labelOf(claims.length, denied, keeps);
  return {
    sentence: {
      start,
      end,
      label,
      score,
      contradiction: compared.length === 0 ? null : Math.max(...compared.map((claim) => claim.contradiction)),
      support,
      citations,
      quotes: compared.flatMap((claim, i) => {
        const stretch =
          stances[i] === 'contradicted'
            ? claim.against
            : stances[i] === 'supported' || label === 'supported'
              ? claim.by
              : null;
        return stretch === null ? [] : [{ passage: stretch.passage, start: stretch.start, end: stretch.end }];
      }),
      faults: [...faults, ...lacking],
    },
    nliPairs,
    truncatedTokens,
  };
}

/**
 * How well a sentence is borne out, in [0, 1]: the entailment of its weakest claim. Where a name or number of it stands in
 * no passage, brought down so that what asks for `faulted` otherwise asks for `supported` here, straight between. What is
 * contradicted, or has a claim that nothing could be compared with, has 0: see `verifySentence`.
 */
export function supportOf(
  entailment: number,
  lacks: boolean,
  { supported, faulted }: Pick<VerifyThresholds, 'supported' | 'faulted'> = VERIFY_THRESHOLDS,
): number {
  if (!lacks) return entailment;
  if (entailment < faulted) return (entailment * supported) / faulted;
  return faulted === 1 ? supported : supported + ((entailment - faulted) * (1 - supported)) / (1 - faulted);
}

function labelOf(claims: number, denied: boolean, keeps: boolean): SentenceLabel {
  if (claims === 0) return 'unverifiable';
  if (denied) return 'contradicted';
  return keeps ? 'supported' : 'unsupported';
}
