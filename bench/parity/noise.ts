/** A classifier that is wrong in a known share of cases. */
import { createHash } from 'node:crypto';
import { ACTS, type Act, type ActDistribution } from '../../profiles/index.ts';

/** Acts that retrieve: noise sends a question to another of them, never out of the door. */
const QUESTIONS = ACTS.filter((act) => act !== 'NOT_A_QUESTION');

/**
 * A `relabel` for the router: a share of the questions gets another act's label, each other act equally likely, and
 * the two acts' probabilities change places, so that blending sees the mistake as well. What happens to a question
 * depends on its words and the seed alone. What is no question stays none.
 */
export function labelNoise(
  share: number,
  seed: number,
): (query: string, act: ActDistribution) => ActDistribution {
  return (query, act) => {
    const digest = createHash('sha256').update(`${seed}\0${query}`).digest();
    const unlucky = digest.readUInt32BE(0) / 2 ** 32 < share;
    if (!unlucky || act.label === 'NOT_A_QUESTION') return act;
    const others = QUESTIONS.filter((other) => other !== act.label);
    const label: Act = others[Math.floor((digest.readUInt32BE(4) / 2 ** 32) * others.length)]!;
    const { probabilities: p } = act;
    return { ...act, label, probabilities: { ...p, [label]: p[act.label], [act.label]: p[label] } };
  };
}
