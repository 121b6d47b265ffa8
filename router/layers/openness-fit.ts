/** Written by `pragaura bench openness`. */
import type { OpennessFit } from './types.ts';

export const OPENNESS: OpennessFit = {
  intercept: 5.1748,
  weights: {
    dense: -11.438,
    generic: 0.53439,
    heading: -0.6735,
    lexical: 3.1884,
    marked: -1.2564,
    near: 0.8352,
    refers: 0.13577,
    relevance: -0.36361,
    specific: -0.6795,
    words: -0.96522,
  },
  bar: 0.5,
};
