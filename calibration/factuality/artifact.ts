/** What a factuality calibration is, and its thresholds as they are used. */
import { z } from 'zod';
import { PragauraError, packageVersion } from '../../common/index.ts';
import type { FactualityThresholds } from '../../generation/index.ts';
import { ACTS, type Act } from '../../profiles/index.ts';
import { calibrationText, sealed } from '../artifact/load.ts';
import { Mean, Proportion, RUNGS } from '../artifact/schema.ts';
import { codeHash } from '../observations/code-hash.ts';
import { DECIDES_NOTHING } from '../observations/key.ts';

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** What a threshold came to on answers of other documents. */
const Realised = z.strictObject({
  /** Of these answers all that was kept is borne out; by answer, and by document, each counting alike. */
  whole: Proportion,
  wholeByDocument: Mean,
  /** Of the sentences that are borne out, those that were kept; of the kept ones, those that are not borne out. */
  kept: Proportion,
  keptWrong: Proportion,
  /** Of all sentences, those that are not borne out. */
  wrong: Proportion,
});
export type RealisedFactuality = z.infer<typeof Realised>;

/** Answers that a threshold was set on, or could not be. `needed`: documents (answers) without which it cannot. */
const Pool = z.strictObject({
  acts: z.union([z.literal('everything'), z.array(z.enum(ACTS)).min(1)]),
  n: count,
  documents: count.nullable(),
  needed: count.nullable(),
});

const Row = z.strictObject({
  rung: z.enum(RUNGS),
  /** Kept is what has more support; null: nothing is kept. */
  threshold: share.nullable(),
  sentence: z.string().min(1),
  own: Pool,
  pool: Pool.nullable(),
  test: Realised,
});

const Part = z.strictObject({ answers: count, sentences: count, documents: count });

export const FACTUALITY_SCHEMA = 'pragaura.factuality/1';

export const FactualityArtifact = z.strictObject({
  schema: z.literal(FACTUALITY_SCHEMA),
  /** `program`: hash over the code that verifies. */
  createdBy: z.strictObject({ package: z.string(), version: z.string(), program: z.string() }),
  level: z.string(),
  scope: z.enum(['acts', 'global']),
  exchangeable: z.enum(['documents', 'questions']),
  acts: z.array(Row.extend({ act: z.enum(ACTS) })).length(ACTS.length),
  /** Of answers whose act is not known. */
  all: Row,
  splits: z.strictObject({ seed: z.number().int(), testFile: z.boolean(), calibrate: Part, test: Part }),
  validFor: z.strictObject({
    nli: z.string(),
    arithmetic: z.string(),
    generators: z.array(z.string()).min(1).nullable(),
  }),
  /** SHA-256 over the canonical JSON of everything else. */
  integrity: z.string(),
});
export type FactualityArtifact = z.infer<typeof FactualityArtifact>;

const ROOMS = ['common', 'corpus', 'conversation', 'scorers', 'generation'];

/** Hash over the code that a sentence's support depends on. */
export function verifierHash(): Promise<string> {
  return codeHash(undefined, [], ROOMS, DECIDES_NOTHING);
}

/** As `readArtifact`, for a factuality calibration. */
export async function loadFactuality(file: string): Promise<FactualityThresholds> {
  const artifact = sealed(await calibrationText(file), file, FactualityArtifact, FACTUALITY_SCHEMA);
  const { version, program } = artifact.createdBy;
  if (version !== packageVersion() || program !== (await verifierHash())) {
    throw new PragauraError(
      'CALIBRATION_MISMATCH',
      `The calibration ${file} does not hold here: another version of this program made it.`,
      { hint: 'Run "pragaura calibrate --target factuality" to make it anew.' },
    );
  }
  return factualityFrom(artifact);
}

export function factualityFrom({ level, acts, all, validFor }: FactualityArtifact): FactualityThresholds {
  const rowOf = (act: Act | null) => acts.find((row) => row.act === act) ?? all;
  return {
    level,
    thresholdFor: (act) => rowOf(act).threshold,
    sentence: (act) => rowOf(act).sentence,
    validFor,
  };
}
