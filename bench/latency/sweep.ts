/** Shares of the throughput with the window always full at which an open loop is tried, until one is not held. */
export const SHARES = [0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2] as const;

/** Past the knee: 95 % of the responses are no longer within this many times those of the lowest rate. */
export const RESPONSE_FACTOR = 3;

interface Tried {
  failed: number;
  /** Milliseconds; null when nothing was recorded. */
  responseP95: number | null;
}

/** Whether a rate is held, beside the lowest one of its sweep. A rate at which a query failed is not. */
export function isHeld(tried: Tried, lowest: Tried): boolean {
  if (tried.failed > 0 || tried.responseP95 === null || lowest.responseP95 === null) return false;
  return tried.responseP95 <= RESPONSE_FACTOR * lowest.responseP95;
}
