/** A router that knows what "my programme" means to whoever asks. What is remembered is put into the question, never among the evidence. */
import type { Decision, Query, RouteOptions, Router } from '../../router/index.ts';
import type { MemoryRecord } from './record.ts';

type Decider = Pick<Router, 'route' | 'explain'>;

/** `word`: as it stood in the query; `value`: what stands there now. */
export type Taken = NonNullable<Decision['remembered']>[number];

/**
 * The query with "my NAME" and "our NAME" made into "the VALUE" for the facts that are remembered, and what was. Longer names
 * first; what the history says of them is not looked at. Pure.
 */
export function withFacts(query: string, record: MemoryRecord | null): { text: string; taken: Taken[] } {
  const facts = (record?.entries ?? [])
    .filter(({ type }) => type === 'fact')
    .sort((a, b) => b.name.length - a.name.length || (a.name < b.name ? -1 : 1));
  if (facts.length === 0) return { text: query, taken: [] };
  const names = facts.map(({ name }) => name.replace(/[^\p{L}\p{N}]+/gu, "[ '-]+"));
  const mine = new RegExp(`\\b(?:my|our) (${names.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  const taken: Taken[] = [];
  const text = query.replace(mine, (word, name: string) => {
    const found = facts.find((fact) => plain(fact.name) === plain(name));
    if (found === undefined) return word;
    taken.push({ word, value: found.value });
    return `the ${found.value}`;
  });
  return { text, taken };
}

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');

/** Decides as the router does on the question made whole; `decision.query` is as it was asked, and `remembered` says what was put in. */
export function remembering(router: Decider, recordOf: () => MemoryRecord | null): Decider {
  const asked = (query: Query) => {
    const { text, taken } = withFacts(query.query, recordOf());
    return { own: taken.length === 0 ? query : { ...query, query: text }, taken };
  };
  const told = (decision: Decision, query: Query, taken: Taken[]): Decision => {
    if (taken.length === 0) return decision;
    const { text, reasons, open } = decision.selfContained ?? { text: decision.query, reasons: [], open: [] };
    return { ...decision, query: query.query, selfContained: { text, reasons, open }, remembered: taken };
  };
  return {
    route: async (query: Query, options?: RouteOptions) => {
      const { own, taken } = asked(query);
      return told(await router.route(own, options), query, taken);
    },
    explain: async (query: Query, options?: RouteOptions) => {
      const { own, taken } = asked(query);
      const explanation = await router.explain(own, options);
      return { ...explanation, decision: told(explanation.decision, query, taken) };
    },
  };
}
