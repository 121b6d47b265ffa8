/** Identifiers that the corpus names (ADR-0012, RFC 7231, section 12.3) and those that a query names. */
export { buildIdentifiers, IDENTIFIERS_SEGMENT } from './build.ts';
export {
  checkedDeclaration,
  DECLARED_SEGMENT,
  type DeclaredIdentifiers,
  declarationIn,
  NOTHING_DECLARED,
} from './declared.ts';
export { headingNumbers, numberByHeading } from './headings.ts';
export { editDistance } from './nearest.ts';
export { stretchOf } from './stretch.ts';
export { loadIdentifiers } from './table.ts';
export type { IdentifierTable } from './types.ts';
