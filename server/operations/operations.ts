/** What a server did, and whether its calibrations still hold: for whoever runs it. */
import type { Decision } from '../../router/index.ts';
import type { Caller } from '../callers.ts';
import type { Collections } from '../collections.ts';
import { ActivityLog } from './activity.ts';
import { Monitors, type MonitorsOptions } from './monitors.ts';

export interface OperationsOptions {
  /** Decisions of a collection that are remembered, with their queries, in memory alone. */
  recent: number;
  /** Folder for the states of monitors; left out: they begin anew with every start. */
  monitor?: string | undefined;
}

export class Operations {
  readonly monitors: Monitors;
  readonly #logs: ReadonlyMap<string, ActivityLog>;

  private constructor(monitors: Monitors, logs: ReadonlyMap<string, ActivityLog>) {
    this.monitors = monitors;
    this.#logs = logs;
  }

  /** Throws as `Monitors.open`. */
  static async open(
    { recent, monitor: dir }: OperationsOptions,
    { collections, log }: { collections: Collections } & Pick<MonitorsOptions, 'log'>,
  ): Promise<Operations> {
    const monitors = await Monitors.open({ collections, dir, log });
    const names = collections.folders().map(({ name }) => name);
    return new Operations(monitors, new Map(names.map((name) => [name, new ActivityLog(name, recent)])));
  }

  activity(name: string): ActivityLog {
    return this.#logs.get(name)!;
  }

  decided(name: string, decision: Decision, caller: Pick<Caller, 'id'>): void {
    this.activity(name).decided(decision, caller);
    this.monitors.decided(name, decision);
  }

  failed(name: string, code: string): void {
    this.activity(name).failed(code);
    this.monitors.failed(name);
  }

  close(): Promise<void> {
    return this.monitors.close();
  }
}
