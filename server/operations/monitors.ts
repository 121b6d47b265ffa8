/** Calibrations held against what the server decides: drift of coverage, and of risk where labels come. */
import path from 'node:path';
import { z } from 'zod';
import {
  Alarm,
  asNumber,
  baselineOf,
  judgeOf,
  type Label,
  levelOf,
  Monitor,
  openStateFile,
  readArtifact,
  type StateFile,
  Status,
} from '../../calibration/index.ts';
import type { Decision } from '../../router/index.ts';
import { errorFields, type Log } from '../../workers/health/log.ts';
import type { Collections } from '../collections.ts';

export const Watched = z.strictObject({
  status: Status,
  /** Since the server started; one of an earlier run stands in the watches of `status`. */
  alarms: z.array(Alarm.extend({ at: z.iso.datetime() })),
});
export type Watched = z.infer<typeof Watched>;

/** As `pragaura monitor` has them, but for what a server can remember. */
const ALPHA = levelOf('alpha', '0.01');
const SETTINGS = {
  alpha: { text: ALPHA.text, value: asNumber(ALPHA) },
  ...{ least: 30, slack: 0, remember: 10_000 },
};
/** Decisions and labels between two writings of the state. */
const KEPT_EVERY = 100;

interface Running {
  monitor: Monitor;
  alarms: Watched['alarms'];
  /** Null: it begins anew with every start. */
  file: StateFile | null;
  /** Since the state was written. */
  changes: number;
}

export interface MonitorsOptions {
  collections: Collections;
  /** Folder for their states. */
  dir: string | undefined;
  log: Log;
}

/** One for each collection that has a calibration. */
export class Monitors {
  readonly #options: MonitorsOptions;
  readonly #running = new Map<string, Running>();
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: MonitorsOptions) {
    this.#options = options;
  }

  /** Throws as `readArtifact` and `openStateFile`. */
  static async open(options: MonitorsOptions): Promise<Monitors> {
    const monitors = new Monitors(options);
    try {
      for (const { name } of options.collections.folders()) await monitors.begin(name);
    } catch (error) {
      await monitors.close();
      throw error;
    }
    return monitors;
  }

  /** Watches by the calibration that the collection has now, in the place of an earlier one. Throws as `open`. */
  async begin(name: string): Promise<void> {
    const { collections, dir } = this.#options;
    await this.#end(name);
    const calibration = collections.calibrationFile(name);
    if (calibration === null || !collections.isCalibrated(name)) return;
    const artifact = await readArtifact(calibration);
    // Another calibration has another state; that of this one is gone on from.
    const state = `${name}-${artifact.integrity.slice(0, 12)}.json`;
    const file = dir === undefined ? null : await openStateFile(path.join(dir, state));
    try {
      const monitor = new Monitor(baselineOf(artifact), SETTINGS, judgeOf(artifact), file?.kept);
      this.#running.set(name, { monitor, alarms: [], file, changes: 0 });
    } catch (error) {
      file?.close();
      throw error;
    }
  }

  decided(name: string, decision: Decision): void {
    this.#note(name, ({ monitor }) => monitor.decided(decision));
  }

  failed(name: string): void {
    this.#note(name, ({ monitor }) => {
      monitor.failed();
      return [];
    });
  }

  labelled(name: string, label: Label): void {
    this.#note(name, ({ monitor }) => monitor.labelled(label));
  }

  /** Null for a collection without a calibration. */
  report(name: string): Watched | null {
    const running = this.#running.get(name);
    return running === undefined
      ? null
      : { status: running.monitor.status(false), alarms: [...running.alarms] };
  }

  /** Alarms that stand, of all collections. */
  get standing(): number {
    return [...this.#running.values()].reduce((sum, { monitor }) => sum + monitor.status(false).alarms, 0);
  }

  async close(): Promise<void> {
    for (const name of [...this.#running.keys()]) await this.#end(name);
  }

  #note(name: string, take: (running: Running) => readonly z.infer<typeof Alarm>[]): void {
    const running = this.#running.get(name);
    if (running === undefined) return;
    const { log } = this.#options;
    for (const alarm of take(running)) {
      running.alarms.push({ ...alarm, at: new Date().toISOString() });
      log.warn('monitor.alarm', { collection: name, detail: alarm.sentence });
    }
    running.changes += 1;
    if (running.changes >= KEPT_EVERY) void this.#keep(running);
  }

  #keep(running: Running): Promise<void> {
    running.changes = 0;
    const { monitor, file } = running;
    if (file === null) return Promise.resolve();
    const { log } = this.#options;
    this.#writing = this.#writing
      .then(() => file.save(monitor.state()))
      .catch((error: unknown) => log.warn('monitor.unkept', errorFields(error)));
    return this.#writing;
  }

  async #end(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined) return;
    this.#running.delete(name);
    await this.#keep(running);
    running.file?.close();
  }
}
