/** Who asks, and how that is known. */
export { APPROVALS, cannotApprove } from './approvals.ts';
export { Assertion, asserted, type JobOf, principalBy } from './assertion.ts';
export {
  LOCAL_ROLE,
  localActor,
  localPrincipal,
  type Principal,
  PUBLIC,
  PUBLIC_ROLE,
  SCHEDULER,
} from './principal.ts';
export { openTokens, TokenSettings, type TokenVerifier } from './tokens.ts';
