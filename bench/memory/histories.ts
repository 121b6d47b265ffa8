/** `pragaura bench memory`: memories against a plain model of them, in histories of many people, interleaved, on one folder. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PragauraError, type Random, seededRandom } from '../../common/index.ts';
import { MEMORY_BOUNDS, Memory, type Principal } from '../../governance/index.ts';

const PEOPLE = ['ann', 'bob', 'ann ', 'Ann', 'ann","token', '', '../ann', 'ann.key'] as const;
const NAMES = ['programme', 'car', 'my car', 'Programme', 'length'] as const;
const DAY_MS = 86_400_000;

type Model = Map<
  string,
  {
    consent: string;
    entries: Map<string, { type: string; name: string; value: string; until: number | null }>;
  }
>;

export interface HistoriesReport {
  schema: 'pragaura.bench-memory/1';
  histories: number;
  operations: number;
  /** What a memory gave that the model does not have, or the other way round. */
  differences: string[];
  /** Reads that held a value of another person's. */
  leaks: number;
  /** Files in which a value stood in the clear. */
  clear: number;
}

/** Each history works on a folder of its own, with two openings of it that take turns. */
export function runHistories(histories: number, seed: number, length = 14): HistoriesReport {
  const report: HistoriesReport = {
    schema: 'pragaura.bench-memory/1',
    histories,
    operations: 0,
    differences: [],
    leaks: 0,
    clear: 0,
  };
  for (let i = 0; i < histories; i += 1) {
    const dir = path.join(mkdtempSync(path.join(tmpdir(), 'pragaura-memory-')), 'memory');
    try {
      history(dir, seededRandom(seed + i), length, report);
    } finally {
      rmSync(path.dirname(dir), { recursive: true, force: true });
    }
  }
  return report;
}

function history(dir: string, random: Random, length: number, report: HistoriesReport): void {
  const openings = [Memory.open(dir), Memory.open(dir)];
  const model: Model = new Map();
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const values: string[] = [];
  let now = Date.UTC(2026, 0, 1);
  for (let step = 0; step < length; step += 1) {
    now += Math.floor(random() * 200) * DAY_MS * (random() < 0.3 ? 1 : 0);
    const person = one(PEOPLE);
    const who: Principal = {
      id: person,
      roles: ['public'],
      via: one(['token', 'token', 'local'] as const),
      clearance: 0,
    };
    const key = `${who.via} ${person}`;
    const known = model.get(key);
    for (const { entries } of model.values()) {
      for (const [id, { until }] of entries) if (until !== null && until <= now) entries.delete(id);
    }
    const memory = one(openings);
    const at = new Date(now);
    const value = `secret ${person} ${step} ${Math.floor(random() * 1e9)}`;
    const expect = (what: string, ours: unknown, wanted: unknown) => {
      if (JSON.stringify(ours) !== JSON.stringify(wanted))
        report.differences.push(`${what} of ${key}: ${JSON.stringify(ours)}`);
    };
    const tried = (work: () => unknown): string => {
      try {
        work();
        return 'done';
      } catch (error) {
        if (PragauraError.isInstance(error)) return error.code;
        throw error;
      }
    };
    report.operations += 1;
    switch (
      one([
        'consent',
        'remember',
        'remember',
        'remember',
        'correct',
        'forget',
        'erase',
        'read',
        'read',
      ] as const)
    ) {
      case 'consent':
        memory.consent(who, at);
        if (known === undefined) model.set(key, { consent: at.toISOString(), entries: new Map() });
        break;
      case 'remember': {
        const name = one(NAMES);
        const days = random() < 0.3 ? 100 : null;
        let id = '';
        const code = tried(() => {
          id = memory.remember(who, { type: 'fact', name, value, days }, at).id;
        });
        const room = known !== undefined && known.entries.size < MEMORY_BOUNDS.entries;
        expect('remember', code, room ? 'done' : 'NOT_PERMITTED');
        if (!room) break;
        values.push(value);
        for (const [other, entry] of known.entries) {
          if (entry.name.toLowerCase() === name.toLowerCase()) known.entries.delete(other);
        }
        known.entries.set(id, {
          type: 'fact',
          name,
          value,
          until: days === null ? null : now + days * DAY_MS,
        });
        break;
      }
      case 'correct':
      case 'forget': {
        // Of anybody's: an id that was overheard opens nothing.
        const ids = [...model.values()].flatMap(({ entries }) => [...entries.keys()]);
        const id = ids.length === 0 ? 'none' : one(ids);
        const mine = known?.entries.get(id);
        const wanted = known === undefined ? 'NOT_PERMITTED' : mine === undefined ? 'NOT_FOUND' : 'done';
        if (random() < 0.5) {
          expect(
            'correct',
            tried(() => memory.correct(who, id, value, at)),
            wanted,
          );
          if (mine !== undefined) mine.value = value;
          values.push(value);
        } else {
          expect(
            'forget',
            tried(() => memory.forget(who, id, at)),
            wanted,
          );
          known?.entries.delete(id);
        }
        break;
      }
      case 'erase':
        expect('erase', memory.erase(who), known !== undefined);
        model.delete(key);
        break;
      case 'read': {
        const record = memory.of(who, at);
        const told = record?.entries.map(({ id, value }) => [id, value]) ?? null;
        expect(
          'read',
          told,
          known === undefined ? null : [...known.entries].map(([id, { value }]) => [id, value]),
        );
        const own = new Set([...(known?.entries.values() ?? [])].map((entry) => entry.value));
        if (record?.entries.some((entry) => !own.has(entry.value))) report.leaks += 1;
        break;
      }
    }
  }
  for (const name of readdirSync(dir)) {
    const bytes = readFileSync(path.join(dir, name), 'latin1');
    if (values.some((value) => bytes.includes(value)) || bytes.includes('secret')) report.clear += 1;
  }
}

export function renderHistories({
  histories,
  operations,
  differences,
  leaks,
  clear,
}: HistoriesReport): string {
  return [
    `${histories} histories of ${PEOPLE.length} people, ${operations} operations: ${differences.length} differ from a plain model,`,
    `${leaks} reads held something of somebody else, ${clear} files held something in the clear`,
    ...differences.slice(0, 20),
  ].join('\n');
}
