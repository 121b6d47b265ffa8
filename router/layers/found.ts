import type { Reason } from '../reasons.ts';
import type { LayerFinding, LayerName } from './finding.ts';

interface Details {
  suggestions?: readonly string[];
  measured?: number;
  limit?: number;
}

function finding(
  layer: LayerName,
  effect: LayerFinding['effect'],
  reason: Reason | null,
  message: string,
  { suggestions = [], measured, limit }: Details,
): LayerFinding {
  return {
    layer,
    effect,
    reason,
    message,
    suggestions: [...suggestions],
    measured: Number.isNaN(measured) ? null : (measured ?? null),
    limit: limit ?? null,
  };
}

export function asks(layer: LayerName, reason: Reason, message: string, details: Details = {}): LayerFinding {
  return finding(layer, 'ASK', reason, message, details);
}

export function abstains(
  layer: LayerName,
  reason: Reason,
  message: string,
  details: Details = {},
): LayerFinding {
  return finding(layer, 'ABSTAIN', reason, message, details);
}

export function notes(
  layer: LayerName,
  effect: 'EVIDENCE' | 'CAVEAT',
  message: string,
  details: Details = {},
): LayerFinding {
  return finding(layer, effect, null, message, details);
}
