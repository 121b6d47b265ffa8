import { oneOf } from '../../datasets/one-of.ts';
import type { DecisionSet } from '../types.ts';
import { loadAbgCoqa } from './abg-coqa.ts';
import { loadAmbigqa } from './ambigqa.ts';
import { loadCanardDecisions } from './canard.ts';
import { loadClariq } from './clariq.ts';
import { loadClinc } from './clinc.ts';
import { loadConflictqa } from './conflictqa.ts';
import { loadContractNli } from './contract-nli.ts';
import { loadFalseqa } from './falseqa.ts';
import { loadHotpotDecisions } from './hotpot.ts';
import { loadIdentifiers } from './identifiers.ts';
import { loadMix } from './mix.ts';
import { loadPoison } from './poison.ts';
import { loadRamdocs } from './ramdocs.ts';
import { loadOrSharc, loadSharc } from './sharc.ts';
import { loadSquad2Decisions } from './squad2.ts';
import { loadTerms } from './terms.ts';

interface Entry {
  load: (dir: string) => Promise<DecisionSet>;
  /** Queries that are taken where nobody says how many; null: all. */
  size: number | null;
}

const SETS = {
  mix: { load: (dir) => loadMix(dir, true), size: null },
  'mix-open': { load: (dir) => loadMix(dir, false), size: null },
  sharc: { load: loadSharc, size: 1_200 },
  'or-sharc': { load: loadOrSharc, size: null },
  'contract-nli': { load: loadContractNli, size: 1_000 },
  squad2: { load: (dir) => loadSquad2Decisions(dir, true), size: 1_000 },
  'squad2-open': { load: (dir) => loadSquad2Decisions(dir, false), size: 1_000 },
  clariq: { load: loadClariq, size: null },
  ambigqa: { load: loadAmbigqa, size: 800 },
  'abg-coqa': { load: loadAbgCoqa, size: null },
  canard: { load: loadCanardDecisions, size: 1_000 },
  falseqa: { load: loadFalseqa, size: 800 },
  clinc: { load: loadClinc, size: 1_000 },
  ramdocs: { load: loadRamdocs, size: null },
  conflictqa: { load: loadConflictqa, size: 1_000 },
  hotpot: { load: loadHotpotDecisions, size: null },
  identifiers: { load: async () => loadIdentifiers(), size: null },
  terms: { load: loadTerms, size: null },
  poison: { load: async () => loadPoison(true), size: null },
  'poison-unchecked': { load: async () => loadPoison(false), size: null },
} satisfies Record<string, Entry>;
export type SetName = keyof typeof SETS;

export const SET_NAMES = Object.keys(SETS) as SetName[];

export function setNamed(name: SetName): Entry {
  return SETS[name];
}

/** The names in a list such as "mix,sharc". Throws USAGE for a name that is none. */
export function parseSetNames(list: string): SetName[] {
  return [...new Set(list.split(',').map((text) => oneOf(SET_NAMES, text.trim(), 'set of decisions')))];
}
