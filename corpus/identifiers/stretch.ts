/** Where a text has a name, whatever its case and, of an identifier, its zeros and joints: "adr 50" is "ADR-0050". */

/** What may stand between the parts of a name; a full stop does between numbers. */
const JOINT = /^[\s\-\u2010-\u2015_/.#'\u2019]{0,2}$/;

interface Run {
  word: string;
  start: number;
  end: number;
}

/** The first place of `name` in `text` as whole words, UTF-16 offsets; null where it has none. Linear in the text. */
export function stretchOf(text: string, name: string): { start: number; end: number } | null {
  const wanted = runsOf(name);
  const runs = runsOf(text);
  if (wanted.length === 0) return null;
  for (let at = 0; at + wanted.length <= runs.length; at += 1) {
    const found = runs.slice(at, at + wanted.length);
    if (!found.every(({ word }, i) => word === wanted[i]!.word)) continue;
    const [first, last] = [found[0]!, found.at(-1)!];
    const apart = runs[at - 1]?.end !== first.start && runs[at + wanted.length]?.start !== last.end;
    const joined = found.every(
      ({ end }, i) => i + 1 === found.length || JOINT.test(text.slice(end, found[i + 1]!.start)),
    );
    if (apart && joined) return { start: first.start, end: last.end };
  }
  return null;
}

/** Runs of letters in small letters, and of digits without leading zeros. */
function runsOf(text: string): Run[] {
  return Array.from(text.matchAll(/[\p{L}\p{M}]+|\p{N}+/gu), ({ 0: run, index }) => ({
    word: run.toLowerCase().replace(/^0+(?=\d)/, ''),
    start: index,
    end: index + run.length,
  }));
}
