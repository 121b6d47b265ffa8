import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tryFileLock } from '../../common/index.ts';
import type { Decision, Router } from '../../router/index.ts';
import { type Principal, PUBLIC } from '../principals/index.ts';
import { MEMORY_BOUNDS, Memory, type MemoryRecord, preferencesOf, remembering, withFacts } from './index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-memories-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
const fresh = () => path.join(folder, `m${made++}`);
const who = (id: string): Principal => ({ id, roles: ['public'], via: 'token', clearance: 0 });
const [ANN, BOB] = [who('ann'), who('bob')];
const NOW = new Date('2026-01-01T00:00:00Z');
const later = (days: number) => new Date(NOW.getTime() + days * 86_400_000);

describe('a memory', () => {
  it('remembers nothing of who has not agreed, nor of nobody in particular', () => {
    const memory = Memory.open(fresh());
    expect(memory.of(ANN)).toBeNull();
    expect(() => memory.remember(ANN, { type: 'fact', name: 'car', value: 'a Škoda' })).toThrow(
      /has not agreed/,
    );
    expect(() => memory.consent(PUBLIC)).toThrow(/Nobody in particular/);
    expect(memory.erase(ANN)).toBe(false);
  });

  it('keeps what is said, the latest of a name, corrects it and lets it go when its time is over', () => {
    const memory = Memory.open(fresh());
    memory.consent(ANN, NOW);
    memory.remember(ANN, { type: 'fact', name: 'programme', value: 'Physics' }, NOW);
    const entry = memory.remember(ANN, { type: 'fact', name: 'Programme', value: 'MSc Physics' }, NOW);
    memory.remember(ANN, { type: 'preference', name: 'length', value: 'short' }, NOW);
    memory.remember(ANN, { type: 'summary', name: 'session', value: 'asked about fees', days: 7 }, NOW);
    expect(memory.of(ANN, NOW)!.entries.map(({ value }) => value)).toEqual([
      'MSc Physics',
      'short',
      'asked about fees',
    ]);
    expect(memory.correct(ANN, entry.id, 'MSc Mathematics', NOW)).toMatchObject({
      id: entry.id,
      value: 'MSc Mathematics',
    });
    expect(memory.of(ANN, later(8))!.entries.map(({ value }) => value)).toEqual(['MSc Mathematics', 'short']);
    expect(memory.of(ANN, later(366))!.entries.map(({ value }) => value)).toEqual(['short']);
    // Gone from the disk as well: also for who looks with another clock.
    expect(memory.of(ANN, NOW)!.entries.map(({ value }) => value)).toEqual(['short']);
    expect(preferencesOf(memory.of(ANN, later(366)))).toEqual({ length: 'short' });
    expect(preferencesOf(null)).toEqual({ length: 'full' });
  });

  it('is of one person: of others neither what is remembered nor that anything is', () => {
    const dir = fresh();
    const memory = Memory.open(dir);
    memory.consent(ANN);
    const { id } = memory.remember(ANN, { type: 'fact', name: 'car', value: 'a red Škoda' });
    expect(memory.of(BOB)).toBeNull();
    memory.consent(BOB);
    expect(memory.of(BOB)!.entries).toEqual([]);
    expect(() => memory.correct(BOB, id, 'x')).toThrow(/Nothing of the id/);
    expect(() => memory.forget(BOB, id)).toThrow(/Nothing of the id/);
    expect(memory.erase(BOB)).toBe(true);
    expect(memory.of(ANN)!.entries).toHaveLength(1);
    const all = readdirSync(dir)
      .map((name) => `${name} ${readFileSync(path.join(dir, name), 'latin1')}`)
      .join();
    for (const word of ['ann', 'Škoda', 'koda', 'car']) expect(all).not.toContain(word);
    expect(statSync(path.join(dir, 'master.key')).mode & 0o077).toBe(0);
  });

  it('that is erased is noise, also in a copy of its file', () => {
    const dir = fresh();
    const memory = Memory.open(dir);
    memory.consent(ANN);
    memory.remember(ANN, { type: 'fact', name: 'car', value: 'a red Škoda' });
    const file = readdirSync(dir).find((name) => name.endsWith('.memory'))!;
    copyFileSync(path.join(dir, file), path.join(dir, '..', 'copy'));
    expect(memory.erase(ANN)).toBe(true);
    expect(readdirSync(dir).filter((name) => /\.(memory|key)$/.test(name))).toEqual(['master.key']);
    memory.consent(ANN);
    copyFileSync(path.join(dir, '..', 'copy'), path.join(dir, file));
    expect(() => memory.of(ANN)).toThrow(expect.objectContaining({ code: 'MEMORY_UNUSABLE' }));
  });

  it('whose files are changed, exchanged or without their key is not read', () => {
    const dir = fresh();
    const memory = Memory.open(dir);
    for (const person of [ANN, BOB]) {
      memory.consent(person);
      memory.remember(person, { type: 'fact', name: 'car', value: `of ${person.id}` });
    }
    const [one, other] = readdirSync(dir).filter((name) => name.endsWith('.memory')) as [string, string];
    const whole = readFileSync(path.join(dir, one));
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1;
      writeFileSync(path.join(dir, one), bytes);
      const read = [ANN, BOB].map((person) => {
        try {
          return memory.of(person) === null;
        } catch (error) {
          return (error as { code: string }).code;
        }
      });
      expect(read.map(String).sort()).toEqual(['MEMORY_UNUSABLE', 'false']);
    }
    writeFileSync(path.join(dir, one), readFileSync(path.join(dir, other)));
    expect(() => [ANN, BOB].map((person) => memory.of(person))).toThrow(/was changed/);
    rmSync(path.join(dir, 'master.key'));
    expect(() => Memory.open(dir)).toThrow(expect.objectContaining({ code: 'MEMORY_UNUSABLE' }));
    writeFileSync(path.join(dir, 'master.key'), 'short');
    expect(() => Memory.open(dir)).toThrow(/is no master key/);
  });

  it('is bounded, and takes no preference that nothing goes by', () => {
    const memory = Memory.open(fresh());
    memory.consent(ANN);
    for (let i = 0; i < 3; i += 1) memory.remember(ANN, { type: 'summary', name: 'session', value: `${i}` });
    const bad = [
      { type: 'fact', name: '', value: 'x' },
      { type: 'fact', name: 'car', value: 'x'.repeat(MEMORY_BOUNDS.value + 1) },
      { type: 'fact', name: '<b>', value: 'x' },
      { type: 'preference', name: 'length', value: 'endless' },
      { type: 'preference', name: 'tone', value: 'rude' },
    ] as const;
    for (const what of bad)
      expect(() => memory.remember(ANN, what)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    for (let i = 3; i < MEMORY_BOUNDS.entries; i += 1)
      memory.remember(ANN, { type: 'summary', name: 'session', value: `${i}` });
    expect(() => memory.remember(ANN, { type: 'summary', name: 'session', value: 'more' })).toThrow(
      /No more than 200/,
    );
  });

  it('that another process is changing is waited for by nobody', () => {
    const dir = fresh();
    const memory = Memory.open(dir);
    memory.consent(ANN);
    const id = readdirSync(dir)
      .find((name) => name.endsWith('.memory'))!
      .replace('.memory', '');
    const release = tryFileLock(path.join(dir, `${id}.lock`))!;
    const what = { type: 'fact', name: 'car', value: 'red' } as const;
    expect(() => memory.remember(ANN, what)).toThrow(expect.objectContaining({ code: 'MEMORY_LOCKED' }));
    expect(() => memory.erase(ANN)).toThrow(expect.objectContaining({ code: 'MEMORY_LOCKED' }));
    // Who only decides by it goes on.
    expect(memory.of(ANN)).not.toBeNull();
    release();
    expect(memory.remember(ANN, what)).toMatchObject(what);
  });
});

describe('what is remembered', () => {
  const record = (facts: Record<string, string>): MemoryRecord => ({
    schema: 'pragaura.memory/1',
    person: 'ann',
    consent: NOW.toISOString(),
    entries: Object.entries(facts).map(([name, value], i) => ({
      ...{
        id: String(i),
        type: 'fact' as const,
        name,
        value,
        source: null,
        since: NOW.toISOString(),
        until: null,
      },
    })),
  });

  it('stands for "my …" in a question, the longer name first, and for nothing else', () => {
    const facts = record({ car: 'Škoda', 'company car': 'BMW', programme: 'MSc Physics' });
    const said = (query: string) => withFacts(query, facts).text;
    expect(said('What are the fees for my programme?')).toBe('What are the fees for the MSc Physics?');
    expect(said('May I park my company car beside our car?')).toBe('May I park the BMW beside the Škoda?');
    expect(said('MY  PROGRAMME')).toBe('MY  PROGRAMME');
    expect(said('Our Programme is long')).toBe('the MSc Physics is long');
    for (const same of ['my carpet', 'economy car', 'a programme', 'my cars', 'Is it mine?', ''])
      expect(said(same)).toBe(same);
    expect(withFacts('my car', null)).toEqual({ text: 'my car', taken: [] });
    expect(withFacts('my car', facts).taken).toEqual([{ word: 'my car', value: 'Škoda' }]);
  });

  it('changes the question and never what answers it: the decision is that of the question typed out', async () => {
    const asked: string[] = [];
    const router = {
      route: async ({ id, query }: { id: string; query: string }) => {
        asked.push(query);
        return { id, query, evidence: [query.length] } as unknown as Decision;
      },
    } as unknown as Router;
    const own = remembering(router, () => record({ programme: 'MSc Physics' }));
    const typed = await router.route({ id: 'q', query: 'Fees of the MSc Physics?' });
    const { selfContained, remembered, query, ...rest } = await own.route({
      id: 'q',
      query: 'Fees of my programme?',
    });
    expect(query).toBe('Fees of my programme?');
    expect(selfContained).toEqual({ text: 'Fees of the MSc Physics?', reasons: [], open: [] });
    expect(remembered).toEqual([{ word: 'my programme', value: 'MSc Physics' }]);
    const { query: _, ...same } = typed;
    expect(rest).toEqual(same);
    expect(await own.route({ id: 'q', query: 'Fees?' })).toEqual(
      await router.route({ id: 'q', query: 'Fees?' }),
    );
  });
});
