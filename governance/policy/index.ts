/** Who may do what. */
export { type Access, type Readable, readableBy, readersOf } from './access.ts';
export { fileOf, type LabelsOf, labelsFrom, NO_LABELS, type PolicyDocument } from './labels.ts';
export { type Policy, type PolicyOptions, parsePolicy, type Resource, type Ruling } from './policy.ts';
export {
  approved,
  checkReviewed,
  checkSigned,
  PolicyReview,
  signedReview,
} from './review.ts';
export { type View, Views } from './views.ts';
export { ACTIONS, POLICY_SCHEMA, type PolicyAction } from './vocabulary.ts';
