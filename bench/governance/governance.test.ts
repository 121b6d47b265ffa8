import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { benchGovernance, FIGURES, renderGovernance } from './run.ts';
import { scenariosOf } from './scenario.ts';

const HOUSES = path.join(import.meta.dirname, 'houses');
const watching = { say: () => {}, signal: new AbortController().signal };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pragaura-houses-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('scenarios', () => {
  it('are at least forty, of three hundred turns, of every kind', async () => {
    const all = (
      await Promise.all(
        ['university', 'clinic', 'library'].map((name) => scenariosOf(path.join(HOUSES, name))),
      )
    ).flat();
    const turns = all.flatMap((scenario) => scenario.turns);
    expect(all.length).toBeGreaterThanOrEqual(40);
    expect(turns.length).toBeGreaterThanOrEqual(300);
    const kinds = new Set(turns.map((turn) => (turn.type === 'said' ? turn.expected.kind : turn.verb)));
    for (const kind of [
      'quote',
      'none',
      'claim',
      'talk',
      'retry',
      'consent',
      'erase',
      'propose',
      'approve',
      'apply',
      'rollback',
      'schedule',
    ]) {
      expect(kinds, kind).toContain(kind);
    }
  });

  it('are read line by line, and a line that is none is named', async () => {
    const house = path.join(folder, 'read');
    await cp(path.join(HOUSES, 'library'), house, { recursive: true });
    await writeFile(
      path.join(house, 'scenarios.txt'),
      '# x\n== One\nann ? Why? => "so" @docs/a.md * ~\nann : wait\n',
    );
    expect(await scenariosOf(house)).toEqual([
      {
        house: 'read',
        title: 'One',
        turns: [
          {
            ...{ type: 'said', who: 'ann', text: 'Why?', marks: new Set(['~', '*']) },
            expected: { kind: 'quote', text: 'so', docId: 'docs/a.md' },
          },
          { type: 'done', who: 'ann', verb: 'wait', rest: '', expected: 'ok' },
        ],
      },
    ]);
    await writeFile(path.join(house, 'scenarios.txt'), '== One\nann ? Why? => perhaps\n');
    await expect(scenariosOf(house)).rejects.toThrow('scenarios.txt, line 2 is no turn');
    await rm(house, { recursive: true });
  });
});

it('tells this system from one that answers always and changes at once', async () => {
  await cp(path.join(HOUSES, 'library'), path.join(folder, 'library'), { recursive: true });
  const contenders = ['this system', 'plain retrieval'] as const;
  const report = await benchGovernance({ houses: folder, contenders }, watching);
  const [ours, plain] = report.contenders;
  expect(report).toMatchObject({ houses: 1, documents: 6 });
  expect(ours!.wrong).toEqual([]);
  for (const { name } of FIGURES.filter(
    (figure) => !['hallucination', 'false alarms'].includes(figure.name),
  )) {
    expect(ours!.figures[name].good, name).toBe(ours!.figures[name].of);
  }
  for (const name of ['refusal', 'stability', 'compliance', 'claims', 'task'] as const) {
    expect(plain!.figures[name].good, name).toBeLessThan(plain!.figures[name].of);
  }
  const text = renderGovernance(report);
  expect(text).toContain('this system');
  expect(text).toMatch(/p50 [\d.]+ ms.*without any of it/);
}, 180_000);
