/** What is done about a missing piece: apply a default, propose one, or ask. Pure. */
import { createHash } from 'node:crypto';
import { leafFor } from './strata.ts';
import { ageWeight, sameValue, type Tally, tally } from './tally.ts';
import type {
  ClarificationDefault,
  DefaultSettings,
  DefaultsOverrule,
  DefaultUse,
  Stratum,
  Vote,
} from './types.ts';

/** The name of a default: the same for the same tenant, field, scope and stratum, in every store. */
export function defaultId(tenant: string, field: string, scope: string, stratum: Stratum): string {
  const text = JSON.stringify([tenant, field, scope, stratum]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** What a user's words are found again by, however they are spaced and cased. */
export function wordsHash(words: string): string {
  return createHash('sha256').update(sameValue(words)).digest('hex');
}

/** ask below `suggestAt`, apply above `applyAt`, suggest in between. */
function gateOf(confidence: number, settings: DefaultSettings): ClarificationDefault['gate'] {
  if (confidence > settings.applyAt) return 'apply';
  return confidence < settings.suggestAt ? 'ask' : 'suggest';
}

const rounded = (weight: number) => Math.round(weight * 1e6) / 1e6;

/** What was learned in one stratum, as a record. */
export function defaultRecord(
  place: { tenant: string; field: string; scope: string; stratum: Stratum },
  counted: Tally,
  settings: DefaultSettings,
): ClarificationDefault {
  const { tenant, field, scope, stratum } = place;
  return {
    schema: 'pragaura.clarification-default/1',
    id: defaultId(tenant, field, scope, stratum),
    tenant,
    field,
    scope,
    conditions: stratum.map(([name, value]) => [name, value]),
    value: counted.top?.value ?? null,
    docId: counted.top?.docId ?? null,
    confidence: rounded(counted.confidence),
    gate: gateOf(counted.confidence, settings),
    votes: counted.candidates.map((candidate) => ({
      ...candidate,
      for: rounded(candidate.for),
      against: rounded(candidate.against),
    })),
    sampleSize: counted.sampleSize,
    failures: counted.failures,
    lastRefreshed: counted.lastRefreshed === null ? null : new Date(counted.lastRefreshed).toISOString(),
  };
}

/**
 * Whether the value failed under exactly these conditions and nobody has named it under them since. Forgotten after
 * one half-life.
 */
function failedHere(
  votes: readonly Vote[],
  value: string,
  conditions: Stratum,
  settings: DefaultSettings,
  now: number,
): boolean {
  const here = JSON.stringify(conditions);
  const last = votes.findLast(
    (vote) =>
      (vote.signal === 'failure' || vote.signal === 'explicit_yes') &&
      sameValue(vote.value) === sameValue(value) &&
      JSON.stringify(vote.conditions) === here,
  );
  return last?.signal === 'failure' && ageWeight(last.at, now, settings) > 0.5;
}

export interface Request {
  tenant: string;
  field: string;
  scope: string;
  candidates?: readonly string[] | undefined;
  /** Sorted by name. */
  conditions: readonly (readonly [name: string, value: string])[];
  overrule?: DefaultsOverrule | undefined;
}

/**
 * Resolves one missing piece from the votes on it (in the order in which they were cast).
 *
 * Applied only when the confidence in the request's stratum is above `applyAt`, the value is possible here, its
 * document (if it stands for one) exists, it did not fail under these very conditions, and the query did not overrule
 * it. Whatever happens is in the record that is returned.
 */
export function resolveFrom(
  votes: readonly Vote[],
  request: Request,
  settings: DefaultSettings,
  now: number,
  documentExists: (docId: string) => boolean,
): DefaultUse {
  const { tenant, field, scope, conditions } = request;
  const leaf = leafFor(votes, conditions, settings, now);
  const counted = tally(leaf.votes, settings, now);
  const learned = defaultRecord({ tenant, field, scope, stratum: leaf.stratum }, counted, settings);
  const use = (
    outcome: DefaultUse['outcome'],
    reason: DefaultUse['reason'],
    used: string | null,
    sentence: string,
  ): DefaultUse => ({
    schema: 'pragaura.default-use/1',
    outcome,
    reason,
    sentence,
    used,
    default: learned,
    asOf: votes.at(-1)?.id ?? 0,
    at: new Date(now).toISOString(),
  });

  const own = overruledBy(request.overrule, field);
  if (own !== undefined) {
    const said = own === null ? 'The query wants no default here.' : `The query says "${own}" for ${field}.`;
    return use('OVERRULED', 'OVERRULED', own, said);
  }
  const { value, docId, confidence } = learned;
  if (value === null || learned.gate === 'ask') {
    return use('ASKED', 'UNKNOWN', null, `Not enough is known about ${field} to propose anything.`);
  }
  const label = `"${value}" for ${field}`;
  const possible = request.candidates?.map(sameValue);
  if (possible !== undefined && !possible.includes(sameValue(value))) {
    return use('ASKED', 'NOT_A_CANDIDATE', null, `The default ${label} is not possible for this query.`);
  }
  if (docId !== null && !documentExists(docId)) {
    return use(
      'ASKED',
      'DOCUMENT_GONE',
      null,
      `The default ${label} points to the document ${docId}, which is not in the index any more.`,
    );
  }
  if (failedHere(leaf.votes, value, conditions, settings, now)) {
    return use(
      'ASKED',
      'FAILED_HERE',
      null,
      `The default ${label} found nothing under these conditions before.`,
    );
  }
  const basis = `${learned.sampleSize} earlier signals, confidence ${confidence.toFixed(2)}`;
  if (learned.gate === 'suggest') {
    return use('SUGGESTED', 'UNSURE', null, `${label} is likely: ${basis}.`);
  }
  return use('APPLIED', 'LEARNED', value, `Took ${label}: ${basis}.`);
}

/** The use where the store could not be asked: as if nothing were known, and it says why. */
export function unavailable(use: DefaultUse, problem: string): DefaultUse {
  const sentence = `Learned defaults could not be looked at, and none was applied: ${problem}`;
  return { ...use, outcome: 'ASKED', reason: 'STORE_UNAVAILABLE', used: null, sentence };
}

/** What a query says about a field: a value, null for "ask me", undefined for nothing. */
export function overruledBy(
  overrule: DefaultsOverrule | undefined,
  field: string,
): string | null | undefined {
  if (overrule === undefined) return undefined;
  if (overrule === false) return null;
  return Object.hasOwn(overrule, field) ? overrule[field] : undefined;
}
