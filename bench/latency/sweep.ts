/** Shares of the throughput with the window always full at which an open loop is tried, until one is not held. */
export const SHARES = [0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2] as const;

/** Past the knee: 95 % of the responses are no longer within this many times what they were at best. */
export const RESPONSE_FACTOR = 3;

interface Tried {
  failed: number;
  /** Milliseconds; null when nothing was recorded. */
  responseP95: number | null;
}

/**
 * Whether a rate is held, beside the best response p95 of those tried before: that one, because a disturbance during the
 * lowest rate would let every other pass. A rate at which a query failed is not held.
 */
export function isHeld({ failed, responseP95 }: Tried, best: number): boolean {
  return failed === 0 && responseP95 !== null && responseP95 <= RESPONSE_FACTOR * best;
}
