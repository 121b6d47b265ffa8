/** The query log on a real disk, with decisions as a router gives them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sqliteDriver } from '../../common/index.ts';
import { type NamedBefore, openHabits } from '../../conversation/index.ts';
import type { Decision } from '../../router/index.ts';
import { type Principal, PUBLIC } from '../principals/index.ts';
import { logging, QueryLog, type QueryLogOptions } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-queries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-01T00:00:00Z');
let files = 0;
const newFile = () => join(folder, `${files++}.db`);
const open = (more: Partial<QueryLogOptions> = {}) =>
  QueryLog.open({ file: newFile(), create: true, ...more });
const person = (id: string): Principal => ({ id, roles: [], via: 'token', clearance: 0 });
const ada = person('ada');

describe('a query log', () => {
  it('keeps nothing of who has not agreed, and what they ask about once they have', async () => {
    const log = await open();
    expect(log.note(ada, 't', ['gold plan'], NOW)).toBe(false);
    expect(log.of(ada, NOW)).toEqual([]);
    log.consent(ada, NOW);
    expect(log.agreedAt(ada)).toBe(NOW);
    expect(log.note(ada, 't', ['gold plan', 'gold plan'], NOW)).toBe(true);
    expect(log.note(ada, 't', [], NOW)).toBe(false);
    expect(log.note(person('bo'), 't', ['basic plan'], NOW)).toBe(false);
    expect(log.of(ada, NOW)).toEqual([{ at: NOW, things: ['gold plan'] }]);
    // The same name by another way is somebody else.
    expect(log.of({ ...ada, via: 'local' }, NOW)).toEqual([]);
    expect(() => log.consent(PUBLIC, NOW)).toThrow(expect.objectContaining({ code: 'NOT_PERMITTED' }));
    log.close();
  });

  it("keeps everybody's where whoever runs it says so", async () => {
    const log = await open({ whose: 'everybody' });
    expect(log.note(PUBLIC, 't', ['gold plan'], NOW)).toBe(true);
    log.close();
  });

  it('takes off what is older than its days, and does not show it before', async () => {
    const log = await open({ days: 7 });
    log.consent(ada, NOW);
    log.note(ada, 't', ['old'], NOW);
    expect(log.of(ada, NOW + 7 * DAY)).toHaveLength(1);
    expect(log.of(ada, NOW + 7 * DAY + 1)).toEqual([]);
    expect(log.named(ada, 't', ['old'], NOW + 8 * DAY)).toEqual([]);
    log.note(ada, 't', ['new'], NOW + 8 * DAY);
    expect(log.of(ada, NOW)).toEqual([{ at: NOW + 8 * DAY, things: ['new'] }]);
    log.close();
  });

  it('erases a person alone, and leaves no trace in the file', async () => {
    const file = newFile();
    const log = await QueryLog.open({ file, create: true, whose: 'everybody' });
    log.consent(ada, NOW);
    log.note(ada, 't', ['secret-of-ada'], NOW);
    log.note(person('bo'), 't', ['secret-of-bo'], NOW);
    expect(log.erase(ada)).toBe(1);
    expect(log.agreedAt(ada)).toBeNull();
    expect(log.of(person('bo'), NOW)).toHaveLength(1);
    log.close();
    const bytes = readFileSync(file, 'latin1');
    expect(bytes).toContain('secret-of-bo');
    expect(bytes).not.toContain('secret-of-ada');
    // Whose they are is not to be read from it either.
    expect(bytes).not.toContain('"bo"');
  });

  it('counts what is named alone, by whom, and of one tenant', async () => {
    const log = await open({ whose: 'everybody' });
    for (const [who, things] of [
      [ada, ['the Gold plan']],
      [ada, ['gold plan', 'hall']],
      [person('bo'), ['gold plan']],
      [person('bo'), ['gold plan', 'basic plan']],
      [person('bo'), ['gold', 'plan']],
      [person('bo'), ['basic plan']],
    ] as const)
      log.note(who, 't', things, NOW);
    log.note(ada, 'other', ['gold plan'], NOW);
    expect(log.named(ada, 't', ['gold plan', 'basic plan', ''], NOW)).toEqual([
      { value: 'basic plan', own: 0, all: 1, people: 1 },
      { value: 'gold plan', own: 2, all: 3, people: 2 },
    ]);
    log.close();
  });

  it('is refused where the file is something else', async () => {
    const file = newFile();
    const database = new (await sqliteDriver())(file);
    database.exec('CREATE TABLE t (a)');
    database.close();
    await expect(QueryLog.open({ file })).rejects.toMatchObject({
      code: 'DEFAULTS_UNUSABLE',
      message: expect.stringContaining('query log'),
    });
    await expect(QueryLog.open({ file: newFile() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('questions that are kept', () => {
  const decision = (fields: string[], more: Partial<Decision> = {}): Decision =>
    ({
      parsed: { fields, scope: { entities: ['Ada'], time: [], where: 'v2' } },
      defaults: [],
      ...more,
    }) as unknown as Decision;

  it('are what their words name, and not what a default put into them', async () => {
    const log = await open();
    log.consent(ada, NOW);
    const given = [
      decision(['plan']),
      decision(['gold plan'], { defaults: [{ used: 'gold plan' }] as never }),
    ];
    const router = { route: async () => given.shift()!, explain: async () => ({}) as never };
    const announced: string[] = [];
    const logged = logging(router, log, ada, 't', (line) => announced.push(line));
    await logged.route({ id: 'q', query: 'How much?' });
    await logged.route({ id: 'q', query: 'How much?' });
    expect(log.of(ada, Date.now()).map(({ things }) => things)).toEqual([['plan', 'Ada', 'v2']]);
    expect(announced).toEqual([]);
    log.close();
  });

  it('make a first proposal once one person, or as many people, named the value often enough', async () => {
    const log = await open({ whose: 'everybody' });
    const option = (value: string) => ({ value, passageIds: [], weight: 0.5, query: `${value}?` });
    const asking = (id: string, who: Principal) => ({
      id,
      named: ((values, tenant, now) => log.named(who, tenant, values, now)) satisfies NamedBefore,
      text: 'What does the plan cost?',
      question: {
        kind: 'modifier' as const,
        variable: 'plan',
        message: 'Which plan do you mean: "basic plan" or "gold plan"?',
        options: [option('basic plan'), option('gold plan')],
        gain: 1,
        resolution: null,
        considered: [],
      },
    });
    const proposedTo = async (who: Principal) => {
      const settings = { firstDefault: 3 };
      const habits = await openHabits({ store: newFile(), tenant: 't', settings }, []);
      const settled = await habits.settle(asking('q', who));
      habits.close();
      return settled!;
    };
    const note = (id: string, thing: string) => log.note(person(id), 't', [thing], Date.now());
    for (let n = 0; n < 3; n++) note('ada', 'gold plan');
    expect((await proposedTo(ada)).use).toMatchObject({ outcome: 'SUGGESTED', reason: 'LOGGED', used: null });
    expect((await proposedTo(ada)).question.message).toBe(
      'Most often "gold plan" was meant: 3 of 3 earlier questions name it. ' +
        'Which plan do you mean: "basic plan" or "gold plan"?',
    );
    // What one person asked about is not shown to another.
    expect((await proposedTo(person('bo'))).use).toMatchObject({ outcome: 'ASKED', reason: 'UNKNOWN' });
    for (const id of ['cy', 'di']) note(id, 'gold plan');
    expect((await proposedTo(person('bo'))).proposed?.value).toBe('gold plan');
    for (let n = 0; n < 6; n++) note('ed', 'basic plan');
    expect((await proposedTo(person('bo'))).proposed).toBeNull();
    log.close();
  });
});
