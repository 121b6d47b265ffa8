import { isRestricted } from '../labels/examples.ts';
import { type DocumentMean, meanByDocument } from '../metrics/by-document.ts';
import { chanceOfFewer } from '../thresholds/conformal.ts';
import { proportion } from './estimates.ts';
import type { Graded } from './graded.ts';
import type { Check, Promised, Proportion, Verdict } from './types.ts';

type Pool = Promised['pools'][number];

/**
 * Realised against promised, pool by pool. A pool's promise is about all its queries held to its own thresholds,
 * whichever acts borrow them; that is what is looked at here, without queries that no promise is about. By questions,
 * intervals are Clopper and Pearson's at `level`, which count examples as independent; by documents, those of a mean over
 * documents (`intervalOfMean`).
 */
export function checksOf(all: readonly Graded[], promised: Promised | null, level: number): Check[] {
  if (promised === null) return [];
  const items = all.filter(({ observation }) => !isRestricted(observation.example));
  return promised.pools.flatMap(({ acts, tau, askUpTo, rank }) => {
    const own = acts === 'everything' ? items : items.filter(({ act }) => act !== null && acts.includes(act));
    const pool = acts === 'everything' ? 'everything' : acts.join(' + ');
    const answers = ({ place }: Graded) => tau !== null && place !== null && place <= tau;
    const checks: Check[] = [];
    const add = (
      about: Check['about'],
      bar: string,
      of: readonly Graded[],
      so: (item: Graded) => boolean,
    ) => {
      const realised = proportion(of.filter(so).length, of.length, level);
      const byDocument =
        promised.exchangeable === 'documents'
          ? meanByDocument(of, ({ document }) => document, so, level)
          : null;
      const chance = about === 'coverage' ? rank : undefined;
      const verdict = verdictOf(about, Number(bar), byDocument ?? likeMean(realised), chance);
      checks.push({ pool, about, level: bar, tau, realised, byDocument, verdict });
    };
    if (tau !== null) {
      const labelled = own.filter((item) => answers(item) && item.wrong !== null);
      if (promised.target === 'coverage') add('coverage', promised.level, own, answers);
      else add('risk', promised.level, labelled, ({ wrong }) => wrong === true);
    }
    if (askUpTo !== null && promised.ask !== null) {
      const known = own.filter(({ answerable }) => answerable === true);
      add('silence', promised.ask, known, (item) => !answers(item) && isSilent(item, askUpTo));
    }
    return checks;
  });
}

/** A proportion is a mean over examples that are documents of their own. */
function likeMean({ of, value, exact }: Proportion): DocumentMean {
  return { documents: of, value, low: exact?.low ?? null, high: exact?.high ?? null };
}

/** Not answered, it ends in ABSTAIN: a gate closed that does not ask, or what the bar is held against lies above it. */
function isSilent({ silencePlace, action, observation }: Graded, askUpTo: number): boolean {
  return silencePlace !== null ? silencePlace > askUpTo : observation.closed === null || action !== 'ASK';
}

/** Least chance at which a coverage that falls short is taken for chance: as for either limit of a 95 % interval. */
const CHANCE = 0.025;

/**
 * `rank`: of tau among as many examples, or documents. The chance of so low a coverage is then that of as many whole
 * documents falling short: more than there is, because questions of one document are not all alike.
 */
function verdictOf(
  about: Check['about'],
  bar: number,
  { documents, value, low, high }: DocumentMean,
  rank: Pool['rank'],
): Verdict {
  if (value === null || low === null || high === null) return 'nothing-to-check';
  const kept = about === 'coverage' ? value >= bar : value <= bar;
  if (kept) return 'kept';
  const reached = about === 'coverage' ? high >= bar : low <= bar;
  const answered = Math.floor(value * documents + 1e-9);
  if (!reached && rank !== undefined && chanceOfFewer(rank, answered, documents) >= CHANCE)
    return 'within-noise';
  return reached ? 'within-noise' : 'broken';
}
