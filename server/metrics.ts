/** What Prometheus may read of a server. Every label has a fixed set of values: no caller, query or id makes a new series. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Decision } from '../router/index.ts';
import { decisionCounter, gauge } from '../workers/health/decision-metrics.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export interface Conditions {
  inWork: () => number;
  waiting: () => number;
  streams: () => number;
  ready: () => boolean;
  alarms: () => number;
}

export class ServerMetrics {
  readonly registry = new Registry();
  readonly #requests: Histogram<'route' | 'status'>;
  /** Counts one. */
  readonly decided: (decision: Decision) => void;
  readonly #problems: Counter<'code'>;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Histogram({
      name: 'pragaura_http_request_seconds',
      help: 'From the head of a request to the end of its answer',
      labelNames: ['route', 'status'],
      buckets: SECONDS,
      registers,
    });
    this.decided = decisionCounter(registers);
    this.#problems = new Counter({
      name: 'pragaura_problems_total',
      help: 'Requests and lines of streams that were not answered, by error',
      labelNames: ['code'],
      registers,
    });
  }

  /** Adds what is looked up at the moment of reading. */
  watch(conditions: Conditions): void {
    const registers = [this.registry];
    gauge(registers, 'pragaura_ready', '1 while requests are taken', () => Number(conditions.ready()));
    gauge(registers, 'pragaura_queries_in_work', 'Queries that are worked on', conditions.inWork);
    gauge(registers, 'pragaura_queries_waiting', 'Queries that wait for their turn', conditions.waiting);
    gauge(registers, 'pragaura_streams_open', 'Streams of decisions', conditions.streams);
    gauge(registers, 'pragaura_monitor_alarms', 'Alarms of drift from calibrations', conditions.alarms);
  }

  /** `route`: as it was declared, never as it was asked. */
  answered(route: string, status: number, ms: number): void {
    this.#requests.observe({ route, status: String(status) }, ms / 1000);
  }

  problem(code: string): void {
    this.#problems.inc({ code });
  }
}
