/** Metrics that workers and servers share: decisions counted, values told when they are asked for. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { ACTIONS, Decision, REASONS } from '../../router/index.ts';

const ACTS: readonly string[] = Decision.shape.act.shape.label.options;

/** The value if it is one of those that are known, else "other": no text of a job or a caller makes a new series. */
export const known = (values: readonly string[], value: string): string =>
  values.includes(value) ? value : 'other';

export const actLabel = ({ act }: Pick<Decision, 'act'>): string => known(ACTS, act.label);

/** `pragaura_decisions_total`: gives what counts a decision. */
export function decisionCounter(registers: Registry[]): (decision: Decision) => void {
  const counter = new Counter({
    name: 'pragaura_decisions_total',
    help: 'Decisions by action, reason and speech act',
    labelNames: ['action', 'reason', 'act'],
    registers,
  });
  return (decision) => {
    const reason = (decision.clarification ?? decision.abstention)?.reason;
    counter.inc({
      action: known(ACTIONS, decision.action),
      reason: reason === undefined ? 'NONE' : known(REASONS, reason),
      act: actLabel(decision),
    });
  };
}

/** Asks for its value at each scrape. */
export function gauge(
  registers: Registry[],
  name: string,
  help: string,
  value: () => number | Promise<number>,
): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      this.set(await value());
    },
  });
}
