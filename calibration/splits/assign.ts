/**
 * Parts of given sizes into bins of given targets. Chance (the numbers that are passed in) decides where a part goes,
 * in proportion to the room that is left, so that no bin gets all large parts; what misses the targets afterwards is
 * mended by moves and swaps.
 */

export interface Part {
  size: number;
  /** In [0, 1), decides the order among parts of like size. */
  order: number;
  /** In [0, 1), decides the bin. */
  draw: number;
}

/** Swaps are tried among this many parts at most: they matter when parts are few and large. */
const MAX_SWAP_PARTS = 1_000;
const MAX_ROUNDS = 200;

/** The bin of each part. Large parts go first, those of like size (to a power of two) in their `order`. */
export function assign(parts: readonly Part[], targets: readonly number[]): Int32Array {
  const bins = new Int32Array(parts.length);
  const room = [...targets];
  const band = ({ size }: Part) => Math.floor(Math.log2(size));
  const sequence = [...parts.keys()].sort((a, b) => {
    const [one, other] = [parts[a]!, parts[b]!];
    return band(other) - band(one) || one.order - other.order || a - b;
  });
  for (const at of sequence) {
    const bin = binFor(parts[at]!, room, targets);
    bins[at] = bin;
    room[bin]! -= parts[at]!.size;
  }
  mend(parts, bins, room, targets, sequence);
  return bins;
}

/** One of the bins with room for all of the part, in proportion to that room; else the one with most room. */
function binFor({ size, draw }: Part, room: readonly number[], targets: readonly number[]): number {
  const fits = room.map((left) => (left >= size ? left : 0));
  const total = fits.reduce((sum, left) => sum + left, 0);
  if (total === 0) {
    let most = -1;
    for (const [bin, left] of room.entries()) {
      if (targets[bin]! > 0 && (most === -1 || left > room[most]!)) most = bin;
    }
    return most;
  }
  let at = draw * total;
  for (const [bin, left] of fits.entries()) {
    if (left === 0) continue;
    if (at < left) return bin;
    at -= left;
  }
  return fits.findLastIndex((left) => left > 0);
}

/** Takes the move or swap that lowers the sum of squared misses most, until none does. */
function mend(
  parts: readonly Part[],
  bins: Int32Array,
  room: number[],
  targets: readonly number[],
  sequence: readonly number[],
): void {
  const swaps = sequence.length <= MAX_SWAP_PARTS ? sequence : [];
  // Moving `size` from one bin to another changes the sum by 2 * size * (size + room[from] - room[to]).
  const change = (size: number, from: number, to: number) =>
    targets[to] === 0 ? 0 : 2 * size * (size + room[from]! - room[to]!);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (room.every((left) => Math.abs(left) < 1)) return;
    let best = { change: -1e-9, size: 0, from: 0, to: 0, move: -1, back: -1 };
    for (const at of sequence) {
      const [size, from] = [parts[at]!.size, bins[at]!];
      for (let to = 0; to < room.length; to++) {
        const gain = to === from ? 0 : change(size, from, to);
        if (gain < best.change) best = { change: gain, size, from, to, move: at, back: -1 };
      }
      for (const back of swaps) {
        const [to, less] = [bins[back]!, size - parts[back]!.size];
        const gain = to === from || less <= 0 ? 0 : change(less, from, to);
        if (gain < best.change) best = { change: gain, size: less, from, to, move: at, back };
      }
    }
    if (best.move === -1) return;
    bins[best.move] = best.to;
    if (best.back !== -1) bins[best.back] = best.from;
    room[best.from]! += best.size;
    room[best.to]! -= best.size;
  }
}
