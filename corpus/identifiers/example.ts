/** What a declaration looks like, for those who got it wrong. */
export const DECLARED_EXAMPLE = '{"families": ["BR", "lot"], "patterns": ["INV-####-##", "#+/##@"]}';
