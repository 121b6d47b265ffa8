import { limitsFor } from './collections.ts';
import { abstains, notes } from './found.ts';
import { topics } from './suggestions.ts';
import type { Layer, LayerInput } from './types.ts';

/**
 * Three bands of confidence: above `high` nothing is said, between `low` and `high` the answer stands with a caveat
 * that names its weakest side, below `low` it does not stand where `abstain` is on. Silent when nothing was scored.
 */
export const bands: Layer = (input, settings) => {
  const { confidence, answers, evidence } = input;
  const home = answers?.clusters[0]?.voices[0];
  if (confidence === null || home === undefined) return null;
  const { high, low } = limitsFor(settings, home.docId);
  if (confidence > high) return null;
  if (confidence < low && settings.bands.abstain) {
    const message = `Confidence is ${confidence.toFixed(2)}, too low for an answer.`;
    const details = { measured: confidence, limit: low, suggestions: topics(evidence) };
    return abstains('bands', 'LOW_CONFIDENCE', message, details);
  }
  return notes('bands', 'CAVEAT', caveat(input), { measured: confidence, limit: high });
};

/** The weakest of what was measured, in words; signals that were not measured count as the weakest. */
function caveat({ report }: LayerInput): string {
  const sides: [number, string][] = [
    [report?.D ?? 1, 'different ways of searching do not all agree on this answer'],
    [report?.C ?? 1, 'not every source agrees with this answer'],
    [1 - (report?.E ?? 0), 'the passage does not state this answer in so many words'],
  ];
  const [, words] = sides.reduce((worst, side) => (side[0] > worst[0] ? side : worst));
  return `Take care: ${words}.`;
}
