import { z } from 'zod';
import type { InformationState } from '../../../conversation/index.ts';
import type { Action } from '../../contracts.ts';

const share = z.number().min(0).max(1);

/**
 * Thresholds of the paper's hard gate (PassiveQA, section 5.3, Architecture 3). `classifier`: whether the information
 * state stands in for the paper's answerability classifier, which is a language model asked for one of three labels;
 * off, rules 4 and 5 never fire.
 */
export const HardGateSettings = z.strictObject({
  conflict: share.default(0.7),
  confidence: share.default(0.35),
  coverage: share.default(0.3),
  ambiguity: share.default(0.45),
  classifier: z.boolean().default(true),
});
export type HardGateSettings = z.infer<typeof HardGateSettings>;

const DEFAULTS = HardGateSettings.parse({});

/**
 * The hard gate, the baseline that a planner has to beat; the first rule that holds decides:
 *
 * 1. Conflict (mean cosine dissimilarity, Eq. 13) > .70: ASK
 * 2. Conf (Eq. 10) < .35 and Coverage (Eq. 11) < .30: ABSTAIN
 * 3. Amb (Eq. 12) > .45: ASK
 * 4. the classifier says NOT_ANSWERABLE: ABSTAIN; here: something is missing that no reply could supply
 * 5. it says NEEDS_CLARIFICATION: ASK; here: something is missing that a reply could supply
 * 6. none of these: ANSWER
 *
 * A conflict that could not be measured is none; unmeasured confidence and coverage count as 0, so that nothing is
 * answered for want of a measurement. Without a state (nothing was retrieved): ABSTAIN.
 */
export function hardGate(state: InformationState | null, settings: HardGateSettings = DEFAULTS): Action {
  if (state === null) return 'ABSTAIN';
  if ((state.conflict.cosine ?? 0) > settings.conflict) return 'ASK';
  if ((state.confidence ?? 0) < settings.confidence && (state.coverage ?? 0) < settings.coverage)
    return 'ABSTAIN';
  if (state.ambiguity.score > settings.ambiguity) return 'ASK';
  if (!settings.classifier) return 'ANSWER';
  if (state.missing.some(({ recoverable }) => !recoverable)) return 'ABSTAIN';
  return state.missing.length > 0 ? 'ASK' : 'ANSWER';
}
