import { PragauraError } from '../../common/index.ts';
import { LayerSettings } from '../../router/index.ts';

/**
 * Throws CONFIGURATION for layers that close by the very score that a calibration replaces: the lowest band is held
 * against 1 - U of the loaded thresholds, but measured under the provisional U. Such a gate would stand elsewhere in use
 * than where it was measured, and no promise would hold. What is no layer settings at all is told by the router.
 */
export function checkLayers(layers: unknown): void {
  const { data } = LayerSettings.safeParse(layers ?? {});
  if (!data?.bands.on || !data.bands.abstain) return;
  throw new PragauraError(
    'CONFIGURATION',
    'With bands.abstain the layers abstain by U itself, which a calibration changes: no threshold can be promised beside it.',
    { hint: 'Leave bands.abstain off in --layers: thresholds that are calibrated abstain, with a promise.' },
  );
}
