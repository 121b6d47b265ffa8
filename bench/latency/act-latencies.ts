import type { Decision } from '../../router/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';

/** A summary with the whole histogram beside it, so that any other percentile can be had later. */
export interface Distribution extends LatencySummary {
  /** Whole microseconds, HdrHistogram V2 compressed, base64. */
  histogram: string;
}

export interface ActReport {
  /** From the intended start to the end: what a user waits. */
  response: Distribution;
  /** From being taken up to the end: what the router needs, with what runs beside. */
  service: Distribution;
  /** By stage of the decision's own timings; a stage that a gate made needless has fewer. */
  stages: Record<string, Distribution>;
}

/** Histograms of one act, or of all. */
class Group {
  readonly response = new Latencies();
  readonly service = new Latencies();
  readonly stages = new Map<string, Latencies>();

  record(responseMs: number, serviceMs: number, timings: Decision['timings']): void {
    this.response.record(responseMs);
    this.service.record(serviceMs);
    for (const [stage, took] of Object.entries(timings)) {
      if (stage !== 'total') latenciesIn(this.stages, stage).record(took);
    }
  }

  add(other: Group): void {
    this.response.add(other.response);
    this.service.add(other.service);
    for (const [stage, latencies] of other.stages) latenciesIn(this.stages, stage).add(latencies);
  }

  report(): ActReport {
    return {
      response: distribution(this.response),
      service: distribution(this.service),
      stages: Object.fromEntries([...this.stages].map(([stage, own]) => [stage, distribution(own)])),
    };
  }
}

/** Latencies by the act that a query was taken for, and by stage. */
export class ActLatencies {
  readonly #acts = new Map<string, Group>();

  /** Milliseconds; `act` and `timings` are the decision's. */
  record(act: string, responseMs: number, serviceMs: number, timings: Decision['timings']): void {
    let group = this.#acts.get(act);
    if (group === undefined) {
      group = new Group();
      this.#acts.set(act, group);
    }
    group.record(responseMs, serviceMs, timings);
  }

  report(): { all: ActReport; acts: Record<string, ActReport> } {
    const all = new Group();
    for (const group of this.#acts.values()) all.add(group);
    const acts = [...this.#acts].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      all: all.report(),
      acts: Object.fromEntries(acts.map(([act, group]) => [act, group.report()])),
    };
  }
}

function latenciesIn(map: Map<string, Latencies>, name: string): Latencies {
  let latencies = map.get(name);
  if (latencies === undefined) {
    latencies = new Latencies();
    map.set(name, latencies);
  }
  return latencies;
}

function distribution(latencies: Latencies): Distribution {
  return { ...latencies.summary(), histogram: latencies.encoded() };
}
