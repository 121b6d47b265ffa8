/** The models that ship, and figures that were made with others. */
import { loadActClassifier } from '../../router/acts/index.ts';
import { openScorers, type ScorersInfo } from '../../scorers/index.ts';

/** Models that ship, by job. */
export type Shipped = ScorersInfo['models'] & { acts?: { name: string; sha256: string } };

/** Opens the models for their names. Throws what opening them throws. */
export async function shippedModels(): Promise<Shipped> {
  const scorers = await openScorers({ threads: 1 });
  await scorers.close();
  const { name, hash } = await loadActClassifier();
  return { ...scorers.info.models, acts: { name, sha256: hash } };
}

/** Of models by job (NAME@SHA256) those that are not what ships now, in words. */
export function otherModels(models: Readonly<Record<string, string>>, shipped: Shipped): string[] {
  return Object.entries(models).flatMap(([job, model]) => {
    const ships = shipped[job as keyof Shipped];
    const now = ships === undefined ? 'none' : `${ships.name}@${ships.sha256}`;
    return now === model ? [] : [`${job} ${shortened(model)}, ships ${shortened(now)}`];
  });
}

/** NAME@ and the first digits of what comes after. */
export const shortened = (model: string): string => model.replace(/@([0-9a-f]{12})[0-9a-f]+$/, '@$1');
