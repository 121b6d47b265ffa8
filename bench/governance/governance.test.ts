import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScorers } from '../../scorers/index.ts';
import { House } from './house.ts';
import { measureRisk, upperRisk } from './risk.ts';
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

it('finds nothing wrong in a library, and all of it in one that answers always and changes at once', async () => {
  const houses = path.join(folder, 'houses');
  await cp(path.join(HOUSES, 'library'), path.join(houses, 'library'), { recursive: true });
  const report = await benchGovernance({ houses, own: true, data: null }, watching);
  const [ours] = report.contenders;
  expect(report).toMatchObject({ houses: 1, documents: 6, cost: null, risk: null });
  expect(ours!.wrong).toEqual([]);
  for (const { name } of FIGURES.filter(
    (figure) => !['hallucination', 'false alarms'].includes(figure.name),
  )) {
    expect(ours!.figures[name].good, name).toBe(ours!.figures[name].of);
  }
  expect(renderGovernance(report)).toContain('this system');
  const scorers = await openScorers({ announce: () => {} });
  try {
    const house = await House.open(
      path.join(houses, 'library'),
      path.join(folder, 'plain'),
      'plain retrieval',
      scorers,
    );
    expect((await house.ask('ben', 'Which branch is to be closed?')).quotes[0]!.docId).toBe(
      'staff/budget.md',
    );
    expect(house.mayRead('ben', 'staff/budget.md')).toBe(false);
    const change = 'L @docs/lending.md "one week" -> "two weeks" claim "Films are lent for two weeks."';
    expect(await house.take('ann', 'propose', change)).toBe('ok');
    expect((await house.ask('ann', 'For how long are films lent?')).quotes[0]!.text).toContain('two weeks');
    await house.close();
    const risk = await measureRisk(houses, scorers, { tried: 1, failing: 6 });
    expect(risk.unauthorised).toMatchObject({ tried: 112, harmful: 0 });
    expect(risk.audit.tried).toBeGreaterThan(0);
    expect(risk.audit.harmful).toBe(0);
    expect(risk.contradictions.tried).toBeGreaterThan(5);
    expect(upperRisk(risk)).toBeLessThan(1);
  } finally {
    await scorers.close();
  }
});
