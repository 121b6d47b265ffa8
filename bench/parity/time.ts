/** What queries take of the processor under each arm, one at a time and with no score from memory. */
import type { Example } from '../../calibration/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import type { Arm } from './arms.ts';
import { type MeasureOptions, openArm } from './measure.ts';

/** Milliseconds of processor time, all threads together, by arm and query. */
export type Times = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface Timed {
  id: string;
  /** By arm. */
  ms: Record<string, number>;
}

/**
 * Asks every example under every arm twice, forwards and then backwards, so that what drifts on the machine falls on all
 * arms alike; means of the two. Processor time and not the clock's, because the clock also counts what others do on the
 * machine. What an earlier run timed is kept. Throws what the routers throw.
 */
export async function timeArms(
  options: Pick<MeasureOptions, 'set' | 'index' | 'generalProfiles' | 'out' | 'say' | 'signal'> & {
    examples: readonly Example[];
    arms: readonly Arm[];
    code: string;
  },
  scorers: Scorers,
): Promise<Times> {
  const { set, out, examples, arms, code, say, signal } = options;
  const opened = [];
  let file: ResultsFile<Timed> | undefined;
  try {
    for (const arm of arms) opened.push({ name: arm.name, router: await openArm(arm, options, scorers) });
    const versions = opened.map(({ name, router }) => ({ name, ...router.versions, ...router.validFor }));
    file = await ResultsFile.open<Timed>(out, `times-${set}`, { versions, code });
    const progress = new Progress(`${set}, timed`, examples.length, say);
    for (const { id, query } of examples) {
      signal?.throwIfAborted();
      const known = file.get(id) !== undefined;
      if (!known) {
        const sums = new Map(opened.map(({ name }) => [name, 0]));
        for (const { name, router } of [...opened, ...opened.toReversed()]) {
          const before = process.cpuUsage();
          await router.route({ id, query });
          const { user, system } = process.cpuUsage(before);
          sums.set(name, sums.get(name)! + (user + system) / 1_000);
        }
        await file.add({
          id,
          ms: Object.fromEntries([...sums].map(([name, sum]) => [name, sum / 2])),
        });
      }
      progress.step(known);
    }
    const timed = file;
    return new Map(
      arms.map(({ name }) => [name, new Map(examples.map(({ id }) => [id, timed.get(id)!.ms[name]!]))]),
    );
  } finally {
    await Promise.all([...opened.map(({ router }) => router.close()), file?.close()]);
  }
}
