import path from 'node:path';
import { writeWholeFile } from '../../common/index.ts';
import { markdownTable, table, withInterval } from '../measure/table.ts';
import { type Cell, cellOf, SECTIONS } from './figures.ts';
import { POLICIES } from './policies.ts';
import { play } from './simulate.ts';
import { WORLD, worldOf } from './world.ts';

export interface DefaultsBenchOptions {
  out: string;
  worlds: number;
  seed: number;
  requests: number;
}

export interface DefaultsReport {
  results: readonly { policy: string; sections: readonly { title: string; cell: Cell | null }[] }[];
}

/**
 * Plays every policy on the same worlds. Prints a table by section and writes all figures to `defaults.json` in
 * `out`.
 * @returns the tables
 * @throws WRITE_FAILED
 */
export async function benchDefaults(
  options: DefaultsBenchOptions,
  say: (line: string) => void,
): Promise<string> {
  const settings = { ...WORLD, requests: options.requests };
  const seeds = Array.from({ length: options.worlds }, (_, i) => options.seed + i);
  const worlds = seeds.map((seed) => worldOf(seed, settings));
  const results = POLICIES.map((policy) => {
    say(`${policy.name}: ${worlds.length} worlds`);
    const played = worlds.map((world, i) => play(world, policy, seeds[i]!));
    const sections = SECTIONS.map(({ title, fits }) => ({ title, cell: cellOf(played, fits) }));
    return { policy: policy.name, sections };
  });
  const file = path.join(options.out, 'defaults.json');
  const record = { schema: 'pragaura.bench-defaults/1', settings, seeds, results };
  await writeWholeFile(file, `${JSON.stringify(record, null, 2)}\n`, 'Name a folder for results with --out.');
  say(`All figures: ${file}`);
  return SECTIONS.map(({ title }, place) => {
    const cells = results.map(({ policy, sections }) => ({ policy, cell: sections[place]!.cell }));
    return sectionTable(title, cells);
  }).join('\n\n');
}

/** Those of a page: our rule, that of the paper, and what asks least. */
const SHOWN = ['ours', "the paper's rule", 'always majority'];

/** A row a section: what is asked and what goes wrong, by policy. */
export function defaultsMarkdown({ results }: DefaultsReport): string {
  const shown = SHOWN.map((policy) => results.find((one) => one.policy === policy)!);
  const cells = (cell: Cell | null) =>
    cell === null
      ? ['–', '–', '–']
      : [
          withInterval(cell.asked, cell.askedInterval),
          withInterval(cell.wrong, cell.wrongInterval),
          withInterval(cell.wrongOfApplied, null),
        ];
  return markdownTable(
    [
      'requests',
      'n',
      ...SHOWN.flatMap((policy) => [`asked, ${policy}`, 'wrong default applied', 'wrong of applied']),
    ],
    shown[0]!.sections.map(({ title, cell }, place) => [
      title,
      String(cell?.n ?? 0),
      ...shown.flatMap(({ sections }) => cells(sections[place]!.cell)),
    ]),
  );
}

function sectionTable(title: string, cells: readonly { policy: string; cell: Cell | null }[]): string {
  const n = cells[0]!.cell?.n ?? 0;
  const rows = cells.flatMap(({ policy, cell }) =>
    cell === null
      ? []
      : [
          [
            policy,
            withInterval(cell.asked, cell.askedInterval),
            withInterval(cell.wrong, cell.wrongInterval),
            withInterval(cell.wentOut, null),
            withInterval(cell.wrongOfApplied, null),
          ],
        ],
  );
  const head = ['policy', 'asked', 'wrong default applied', 'went out wrong', 'wrong of applied'];
  return `${title}, n = ${n}\n${table(head, rows)}`;
}
