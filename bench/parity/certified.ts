/** The certificate of what was measured. Pure. */
import type { Sampler } from '../../router/index.ts';
import { NOISE_SEED } from './arms.ts';
import {
  type Certificate,
  type CertificateInput,
  certify,
  grantedBy,
  type LedgerLine,
  spentOf,
} from './certificate.ts';
import type { Measured } from './measure.ts';
import type { Times } from './time.ts';

export interface Certified extends Pick<CertificateInput, 'set' | 'tolerance' | 'comparisons'> {
  /** Hash of the code that measured. */
  code: string;
  sampler?: Sampler | undefined;
  /** Milliseconds of the queries that were timed, by arm and query. */
  times?: Times;
}

/** The certificate over all arms, and the ledgers that it follows from. Throws what `certify` throws. */
export function certificateOf(
  measured: readonly Measured[],
  { set, code, tolerance, comparisons, sampler, times }: Certified,
): { certificate: Certificate; lines: LedgerLine[] } {
  const linesOf = ({ arm, observations }: Measured): LedgerLine[] =>
    observations.map(({ example, act, receipt, opinion }) => ({
      arm: arm.name,
      id: example.id,
      group: example.group,
      act,
      ms: times?.get(arm.name)?.get(example.id) ?? null,
      granted: receipt === null ? null : grantedBy(receipt, sampler),
      spent: receipt === null ? null : spentOf(receipt, opinion),
    }));
  const arms = measured.map((run) => ({
    described: {
      name: run.arm.name,
      about: run.arm.about,
      policy: run.arm.policy,
      profiles: run.versions.profiles,
      budget: run.budget,
      noise: run.arm.noise === null ? null : { share: run.arm.noise, seed: NOISE_SEED },
    },
    lines: linesOf(run),
  }));
  const { index, models } = measured[0]!.versions;
  const certificate = certify({
    set,
    versions: { index, models, code },
    sampler: sampler?.settings ?? null,
    tolerance,
    arms,
    comparisons,
  });
  return { certificate, lines: arms.flatMap(({ lines }) => lines) };
}
