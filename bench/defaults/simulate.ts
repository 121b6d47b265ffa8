/** Plays the requests of a world against a policy. */
import type { Policy } from './policies.ts';
import type { SimulatedRequest } from './world.ts';

export interface Played {
  request: SimulatedRequest;
  /** A question was put to the user, before or after a default failed. */
  asked: boolean;
  applied: boolean;
  /** The default that was applied is not what the user wanted, noticed or not. */
  wrong: boolean;
  /** Of those: an answer with it went out. */
  wentOut: boolean;
}

/**
 * What a user does: asked, names a value (or confirms or rejects what is proposed); given an answer with a wrong
 * default, objects or says nothing; a default that finds nothing leads to a question. Policies learn from all of it.
 */
export function play(world: readonly SimulatedRequest[], policy: Policy, seed: number): Played[] {
  const inUse = policy.begin(seed);
  return world.map((request) => {
    const { wanted, said } = request;
    const choice = inUse.choose(request);
    if (choice.do === 'ask') {
      const { proposed } = choice;
      if (proposed === null || proposed === said) inUse.learn(request, 'explicit_yes', said);
      else inUse.learn(request, 'explicit_no', proposed, said);
      return { request, asked: true, applied: false, wrong: false, wentOut: false };
    }
    const wrong = choice.value !== wanted;
    if (wrong && request.wouldBeDetected) {
      inUse.learn(request, 'failure', choice.value);
      inUse.learn(request, 'explicit_yes', said);
      return { request, asked: true, applied: true, wrong, wentOut: false };
    }
    if (wrong && request.wouldObject) {
      inUse.learn(request, 'explicit_no', choice.value, wanted);
    } else {
      inUse.learn(request, 'implicit_ok', choice.value);
    }
    return { request, asked: false, applied: true, wrong, wentOut: wrong };
  });
}
