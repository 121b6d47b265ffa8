/** What a caller may be let do; without packages, because the help lists it. */
export const SCOPES = ['decide', 'retrieve', 'score', 'write', 'label', 'operate', 'metrics'] as const;

/**
 * `decide`: decisions and streams of them; `retrieve`: passages; `score`: speech acts, scores of pairs and verification;
 * `write`: documents into collections and out of them; `label`: say what is right; `operate`: see what was decided, for
 * whom, and whether calibrations still hold; `metrics`: what Prometheus reads.
 */
export type Scope = (typeof SCOPES)[number];
