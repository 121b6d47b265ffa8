import { seededRandom } from '../../../common/index.ts';
import { ACTIONS, type Action, PLANNING_FEATURES, type PlannerFeatures } from '../../../router/index.ts';
import type { Facts } from '../../decisions/observation/facts.ts';
import type { MeasuredSet } from '../../decisions/planners.ts';

const NOTHING = Object.fromEntries(PLANNING_FEATURES.map((name) => [name, null])) as PlannerFeatures;

interface Made {
  name: string;
  /** How many of a hundred queries in each half are to be answered, asked back and left alone. */
  due: readonly [number, number, number];
  sources?: readonly string[];
  /** How far `fused` lies higher where ANSWER is right. */
  fused?: number;
}

/**
 * A set of 200 queries in which relevance and E are high where ANSWER is right, and `openConditions` where ASK is. The
 * fixed rules are as blunt as they come.
 */
export function measuredSet({ name, due, sources = [name], fused = 0 }: Made): MeasuredSet {
  const random = seededRandom(name.length + due[0]);
  const noise = () => (random() + random() + random() - 1.5) / 3;
  const actions = due.flatMap((count, place) => new Array<Action>(count).fill(ACTIONS[place]!));
  const asked = (['tune', 'report'] as const).flatMap((half) => actions.map((action) => ({ half, action })));
  return {
    name,
    about: `made up: ${name}`,
    queries: asked.map(({ half, action }, i) => ({
      id: `${name}-${i}`,
      query: '?',
      action,
      group: `${name}-${half}-${i % 50}`,
      half,
      source: sources[i % sources.length]!,
      fits: true,
    })),
    facts: asked.map(({ action }, i): Facts => {
      const answers = action === 'ANSWER';
      const relevance = Math.min(1, Math.max(0, (answers ? 0.75 : 0.3) + noise()));
      return {
        id: `${name}-${i}`,
        error: null,
        final: null,
        alone: {},
        layers: null,
        thresholds: 'ABSTAIN',
        bare: 'ABSTAIN',
        general: 'ANSWER',
        relevance: relevance >= 0.5 ? 'ANSWER' : 'ABSTAIN',
        reach: { span: true, passage: true },
        declined: 'ABSTAIN',
        hardGate: 'ASK',
        numbersGate: 'ASK',
        candidate: 'a text',
        defined: null,
        answerable: true,
        planning: {
          ...NOTHING,
          answerScore: 0.5,
          D: 0.5,
          C: 0.5,
          E: Math.min(1, Math.max(0, (answers ? 0.7 : 0.4) + noise())),
          bestRelevance: relevance,
          fused: 0.5 + fused * Number(answers) + noise(),
          openConditions: Number(action === 'ASK') * 2 + 3 * noise(),
        },
      };
    }),
  };
}
