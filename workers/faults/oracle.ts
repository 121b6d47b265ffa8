/** What came out beside what had to come out. */
import { withoutClocks } from '../../common/index.ts';

export interface Verdict {
  /** Ids that were submitted. */
  expected: number;
  /** Submitted, and no result. */
  lost: string[];
  /** More than one result. */
  duplicated: string[];
  /** A result that nobody submitted, or a line that is no record. */
  foreign: string[];
  /** A result that is not byte for byte what `route` gives, clocks aside. */
  differing: string[];
}

/**
 * Compares lines as `results` wrote them with the line that `route` gives for each id. Both lose their clocks and the
 * number of the input line, which only the submitter knows.
 */
export function judge(expected: ReadonlyMap<string, string>, lines: Iterable<string>): Verdict {
  const seen = new Map<string, number>();
  const foreign: string[] = [];
  const differing = new Set<string>();
  for (const line of lines) {
    const id = idOf(line);
    const wanted = id === null ? undefined : expected.get(id);
    if (id === null || wanted === undefined) {
      foreign.push(id ?? line.slice(0, 80));
      continue;
    }
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if (comparable(line) !== comparable(wanted)) differing.add(id);
  }
  return {
    expected: expected.size,
    lost: [...expected.keys()].filter((id) => !seen.has(id)),
    duplicated: [...seen].filter(([, times]) => times > 1).map(([id]) => id),
    foreign,
    differing: [...differing],
  };
}

/** Nothing lost, doubled, invented or changed. */
export function isExact({ lost, duplicated, foreign, differing }: Verdict): boolean {
  return lost.length + duplicated.length + foreign.length + differing.length === 0;
}

function idOf(line: string): string | null {
  try {
    const { id } = JSON.parse(line) as { id?: unknown };
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

function comparable(line: string): string {
  const record = JSON.parse(withoutClocks(line)) as { schema?: unknown; line?: unknown };
  if (record.schema === 'pragaura.error/1') delete record.line;
  return JSON.stringify(record);
}
