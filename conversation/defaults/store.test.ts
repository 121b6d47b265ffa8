/** The store on a real disk, with real other processes. */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ErrorCode, sqliteDriver } from '../../common/index.ts';
import { type Answer, type DefaultsOptions, openDefaults } from './index.ts';
import { DEFAULTS_STORE } from './schema.ts';
import { inChild, VOTER } from './testing/children.ts';
import { DAY, NOW } from './testing/votes.ts';

const { applicationId, migrations } = DEFAULTS_STORE;
const folder = mkdtempSync(join(tmpdir(), 'pragaura-defaults-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = () => join(folder, `store-${files++}.db`);
const open = (file: string, more: Partial<DefaultsOptions> = {}) =>
  openDefaults({ file, create: true, ...more });

const answer = (more: Partial<Answer> = {}): Answer => ({
  tenant: 't',
  need: { field: 'page', scope: 'contract' },
  conditions: {},
  signal: 'explicit_yes',
  value: 'page 1',
  at: NOW,
  ...more,
});

/** The code of the error with which a promise is rejected, and what the error says. */
async function failure(promise: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> {
  return promise.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error) => error,
  );
}

async function withVotes(count: number): Promise<string> {
  const file = newFile();
  const store = await open(file);
  for (let n = 0; n < count; n++)
    store.learn(answer({ value: `page ${n % 7}`, conditions: { n: String(n) } }));
  store.close();
  return file;
}

describe('learning', () => {
  it('asks once and a few times more, then applies, names the default, and is overruled by the query', async () => {
    const store = await open(newFile());
    const resolve = (overrule?: false) =>
      store.resolve({ field: 'page', scope: 'contract' }, {}, 't', NOW, overrule);
    expect(resolve()).toMatchObject({ outcome: 'ASKED', asOf: 0 });
    let asked = 0;
    while (resolve().outcome !== 'APPLIED') {
      asked++;
      store.learn(answer());
    }
    expect(asked).toBe(5);
    expect(resolve()).toMatchObject({ used: 'page 1', asOf: 5, default: { sampleSize: 5 } });
    expect(resolve(false)).toMatchObject({ outcome: 'OVERRULED', used: null });
    store.close();
  });

  it('keeps tenants, scopes and fields apart', async () => {
    const store = await open(newFile());
    for (let n = 0; n < 12; n++) store.learn(answer());
    const outcome = (field: string, scope: string, tenant: string) =>
      store.resolve({ field, scope }, {}, tenant, NOW).outcome;
    expect(outcome('page', 'contract', 't')).toBe('APPLIED');
    expect(outcome('page', 'contract', 'other')).toBe('ASKED');
    expect(outcome('page', 'invoice', 't')).toBe('ASKED');
    expect(outcome('clause', 'contract', 't')).toBe('ASKED');
    expect(store.list('other', NOW)).toEqual([]);
    store.close();
  });

  it('counts what is delivered twice once, and a correction as one vote for what the user wanted', async () => {
    const store = await open(newFile());
    expect(store.learn(answer({ once: 'job-1' }))).toBe(true);
    expect(store.learn(answer({ once: 'job-1' }))).toBe(false);
    expect(store.learn(answer({ once: 'job-1', tenant: 'other' }))).toBe(true);
    store.learn(answer({ signal: 'explicit_no', instead: { value: 'TOC' }, once: 'job-2' }));
    const [found] = store.list('t', NOW);
    expect(found!.votes).toEqual([
      { value: 'page 1', docId: null, for: 1, against: 0 },
      { value: 'TOC', docId: null, for: 1, against: 0 },
    ]);
    store.close();
  });

  it('does not apply a default whose document is unknown, or when nobody can say', async () => {
    const file = newFile();
    const store = await open(file, { documentExists: (docId) => docId === 'terms' });
    for (let n = 0; n < 12; n++) store.learn(answer({ docId: 'terms' }));
    expect(store.resolve({ field: 'page', scope: 'contract' }, {}, 't', NOW).outcome).toBe('APPLIED');
    store.close();
    const blind = await open(file);
    expect(blind.resolve({ field: 'page', scope: 'contract' }, {}, 't', NOW).reason).toBe('DOCUMENT_GONE');
    blind.close();
  });

  it('refuses what fits no schema', async () => {
    const store = await open(newFile());
    const wrong = [
      answer({ value: ' ' }),
      answer({ tenant: '' }),
      answer({ at: Number.NaN }),
      answer({ conditions: { a: 1 } as never }),
      answer({ conditions: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) }),
      answer({ signal: 'maybe' as never }),
    ];
    for (const one of wrong)
      expect(() => store.learn(one)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect([...store.votes()]).toEqual([]);
    await expect(open(newFile(), { settings: { applyAt: 2 } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    store.close();
  });
});

describe('the rule for a first default', () => {
  it.each([1, 3, 8])('applies it once %i users agree, and not before', async (firstDefault) => {
    const store = await open(newFile(), { settings: { firstDefault } });
    const outcome = () => store.resolve({ field: 'page', scope: 'contract' }, {}, 't', NOW).outcome;
    for (let n = 0; n < firstDefault; n++) {
      expect(outcome()).not.toBe('APPLIED');
      store.learn(answer());
    }
    expect(outcome()).toBe('APPLIED');
    store.close();
    expect(await failure(open(newFile(), { settings: { firstDefault: 0 } }))).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

describe('the audit trail', () => {
  it('holds every use that was noted, byte for byte, and what was forgotten', async () => {
    const file = newFile();
    const store = await open(file);
    for (let n = 0; n < 9; n++) store.learn(answer({ at: NOW - n * DAY }));
    const use = store.resolve({ field: 'page', scope: 'contract' }, {}, 't', NOW);
    store.note(use, 'q-1');
    expect(store.show(use.default.id, 't', NOW)!.audit).toEqual([
      {
        id: 1,
        tenant: 't',
        at: NOW,
        kind: 'use',
        subject: use.default.id,
        query: 'q-1',
        sha256: createHash('sha256').update(JSON.stringify(use)).digest('hex'),
        record: use,
      },
    ]);
    expect(store.show(use.default.id, 'other', NOW)).toBeNull();
    expect(store.forget({ tenant: 't', ids: [use.default.id], before: NOW - 5 * DAY }, NOW)).toEqual(
      new Map([[use.default.id, 3]]),
    );
    expect([...store.votes('t')]).toHaveLength(6);
    expect(store.trail('t').at(-1)).toMatchObject({ kind: 'forget', record: { votes: 3 } });
    store.close();
  });

  it('forgets one tenant without touching another, and leaves no trace in the file', async () => {
    const file = newFile();
    const store = await open(file);
    for (const tenant of ['t', 'other']) {
      store.learn(answer({ tenant, value: `secret-of-${tenant}` }));
      store.note(store.resolve({ field: 'page', scope: 'contract' }, {}, tenant, NOW), 'q');
    }
    expect(readFileSync(`${file}-wal`, 'latin1')).toContain('secret-of-t');
    store.forget({ tenant: 't', audit: true }, NOW);
    expect([...store.votes()].map((vote) => vote.tenant)).toEqual(['other']);
    expect(store.trail('other')).toHaveLength(1);
    store.close();
    const bytes = readFileSync(file, 'latin1');
    expect(bytes).toContain('secret-of-other');
    expect(bytes).not.toContain('secret-of-t"');
    expect(bytes.includes('secret-of-t')).toBe(false);
  });

  it('can only be added to: what was said may be forgotten, that it was said may not', async () => {
    const file = newFile();
    const store = await open(file);
    store.learn(answer());
    const use = store.resolve({ field: 'page', scope: 'contract' }, {}, 't', NOW);
    store.note(use, 'q-1');
    const [entry] = store.trail();
    store.forget({ tenant: 't', audit: true }, NOW);
    expect(store.trail()).toMatchObject([
      { ...entry, record: null },
      { kind: 'forget', record: { votes: 1 } },
    ]);
    store.close();

    const database = new (await sqliteDriver())(file);
    const last = `SELECT id, tenant, at, kind, subject, query, sha256 FROM audit WHERE id = 2`;
    for (const sql of [
      `UPDATE audit SET query = 'q-2' WHERE id = 1`,
      'UPDATE audit SET id = 9 WHERE id = 1',
      'DELETE FROM audit WHERE id = 1',
      'DELETE FROM audit',
      `INSERT OR REPLACE INTO audit ${last}`,
      `UPDATE audit_records SET record = '{}' WHERE entry = 2`,
    ]) {
      expect(() => database.exec(sql), sql).toThrow('the audit trail is only added to');
    }
    database.exec(`DELETE FROM audit_records; INSERT INTO audit_records VALUES (2, '{"votes": 0}')`);
    database.close();
    const changed = await open(file);
    expect(() => changed.trail()).toThrow(
      expect.objectContaining({
        code: 'DEFAULTS_UNUSABLE',
        message: expect.stringContaining('entry 2 of its audit trail was changed'),
      }),
    );
    changed.close();
  });

  it('never gives the id of a forgotten vote to another', async () => {
    const store = await open(newFile());
    store.learn(answer());
    store.forget({ tenant: 't' }, NOW);
    store.learn(answer());
    expect([...store.votes()].map((vote) => vote.id)).toEqual([2]);
    store.close();
  });
});

describe('several processes', () => {
  it('make the store at the same time, vote at the same time, and lose no vote', async () => {
    const file = newFile();
    const voters = ['a', 'b', 'c', 'd'].map((value) => inChild(VOTER, [file, value, '40']));
    for (const { code, stderr } of await Promise.all(voters.map((voter) => voter.finished))) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    const store = await open(file);
    const counts = new Map<string, number>();
    for (const { value } of store.votes()) counts.set(value, (counts.get(value) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({ a: 40, b: 40, c: 40, d: 40 });
    store.close();
  });

  it('may be killed: every vote that was taken is there, and the others go on', async () => {
    const file = newFile();
    const other = inChild(VOTER, [file, 'other', '60']);
    const taken: number[] = [];
    for (let round = 0; round < 3; round++) {
      const victim = inChild(VOTER, [file, `victim ${round}`, '100000']);
      await victim.until('voted 10\n');
      victim.kill();
      const { signal, stdout } = await victim.finished;
      expect(signal).toBe('SIGKILL');
      taken.push(stdout.split('\n').length - 1);
    }
    expect((await other.finished).code).toBe(0);
    const store = await open(file);
    const votes = [...store.votes()].map((vote) => vote.value);
    for (const [round, least] of taken.entries()) {
      expect(votes.filter((value) => value === `victim ${round}`).length).toBeGreaterThanOrEqual(least);
    }
    expect(votes.filter((value) => value === 'other')).toHaveLength(60);
    store.close();
  });

  it('wait for one that holds the file, and say so when it does not let go; readers do not wait', async () => {
    const file = await withVotes(3);
    const Driver = await sqliteDriver();
    const holder = new Driver(file);
    holder.exec('BEGIN IMMEDIATE');
    const store = await open(file, { waitMs: 200 });
    expect([...store.votes()]).toHaveLength(3);
    const begun = performance.now();
    expect(() => store.learn(answer())).toThrow(
      expect.objectContaining({ code: 'DEFAULTS_LOCKED', message: `${file} is locked by another process.` }),
    );
    expect(performance.now() - begun).toBeGreaterThanOrEqual(190);
    holder.exec('COMMIT');
    expect(store.learn(answer())).toBe(true);
    store.close();
    holder.close();

    const voter = inChild(VOTER, [file, 'late', '1']);
    const second = new Driver(file);
    second.exec('BEGIN IMMEDIATE');
    const early = await Promise.race([
      voter.finished.then(() => 'voted'),
      new Promise((resolve) => setTimeout(() => resolve('waits'), 1000)),
    ]);
    second.exec('COMMIT');
    second.close();
    expect(early).toBe('waits');
    expect((await voter.finished).code).toBe(0);
  });

  it('cannot open what is held exclusively, and wait before they say so', async () => {
    const file = newFile();
    await inChild(VOTER, [file, 'a', '1']).finished;
    const holder = new (await sqliteDriver())(file);
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    const begun = performance.now();
    expect(await failure(open(file, { waitMs: 300 }))).toMatchObject({ code: 'DEFAULTS_LOCKED' });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(290);
    const waiting = open(file, { waitMs: 30_000 });
    holder.close();
    (await waiting).close();
  });
});

describe('a file that is no good', () => {
  const refused = async (file: string) => {
    const before = readFileSync(file);
    const error = await failure(open(file, { waitMs: 100 }));
    expect(readFileSync(file).equals(before)).toBe(true);
    return error;
  };

  it('is refused and left as it is: empty, text, another database, a folder', async () => {
    const empty = newFile();
    writeFileSync(empty, '');
    expect(await refused(empty)).toMatchObject({ code: 'DEFAULTS_UNUSABLE' });
    const text = newFile();
    writeFileSync(text, 'votes = 12\n'.repeat(500));
    expect(await refused(text)).toMatchObject({ code: 'DEFAULTS_UNUSABLE' });
    const foreign = newFile();
    const database = new (await sqliteDriver())(foreign);
    database.exec('CREATE TABLE votes (x)');
    database.close();
    expect((await refused(foreign)).message).toContain('a database of something else');
    const dir = newFile();
    mkdirSync(dir);
    expect(await failure(open(dir))).toMatchObject({ code: 'DEFAULTS_UNUSABLE' });
  });

  it('is refused when it was cut off or overwritten anywhere in its pages', async () => {
    const whole = await withVotes(400);
    const size = readFileSync(whole).length;
    for (const share of [0.1, 0.5, 0.9, 0.999]) {
      const cut = newFile();
      copyFileSync(whole, cut);
      truncateSync(cut, Math.floor(size * share));
      expect(await refused(cut)).toMatchObject({ code: 'DEFAULTS_UNUSABLE' });
    }
    for (let page = 0; page < size / 4096; page++) {
      const torn = newFile();
      const bytes = readFileSync(whole);
      bytes.fill(0x5a, page * 4096, page * 4096 + 512);
      writeFileSync(torn, bytes);
      expect(await refused(torn), `page ${page}`).toMatchObject({ code: 'DEFAULTS_UNUSABLE' });
    }
  });

  it('is refused when a later version wrote it', async () => {
    const file = await withVotes(1);
    const database = new (await sqliteDriver())(file);
    database.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    database.close();
    expect((await refused(file)).message).toContain(`of version ${migrations.length + 1}`);
  });

  it('is refused when a vote in it is none', async () => {
    const file = await withVotes(2);
    const database = new (await sqliteDriver())(file);
    database.exec(`UPDATE votes SET signal = 'maybe' WHERE id = 2`);
    database.close();
    const store = await open(file);
    expect(() => store.list(undefined, NOW)).toThrow(
      expect.objectContaining({
        code: 'DEFAULTS_UNUSABLE',
        message: expect.stringContaining('vote 2 is damaged'),
      }),
    );
    store.close();
  });

  it('is not made where nobody asked for it, nor where it cannot be', async () => {
    const missing = newFile();
    expect(await failure(openDefaults({ file: missing }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(missing)).toBe(false);
    const under = newFile();
    writeFileSync(under, '');
    expect(await failure(open(join(under, 'store.db')))).toMatchObject({ code: 'WRITE_FAILED' });
  });
});

describe('a store of an earlier version', () => {
  it('keeps its audit trail, which can only be added to from then on', async () => {
    const file = newFile();
    const database = new (await sqliteDriver())(file);
    for (const sql of migrations.slice(0, 3)) database.exec(sql);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 3`);
    database.exec(
      `INSERT INTO audit (tenant, at, kind, subject, query, record) VALUES ('t', 1, 'use', 's', 'q', '{"a": 1}')`,
    );
    database.close();
    const store = await open(file);
    store.note(store.resolve({ field: 'page' }, {}, 't', NOW), 'q-2');
    expect(store.trail()).toMatchObject([
      { id: 1, query: 'q', sha256: null, record: { a: 1 } },
      { id: 2, query: 'q-2', sha256: expect.any(String) },
    ]);
    store.close();
  });
});

describe('a store of the first version', () => {
  it('becomes one of this version with all its votes, also when several open it at once', async () => {
    const file = newFile();
    const database = new (await sqliteDriver())(file);
    database.exec(migrations[0]!);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
    const insert = database.prepare(
      `INSERT INTO votes (tenant, scope, field, conditions, signal, value, at) VALUES ('t', '', 'f', '[]', ?, ?, 1)`,
    );
    for (let n = 0; n < 5; n++) insert.run('explicit_yes', 'old');
    database.close();
    const children = [1, 2, 3].map((n) => inChild(VOTER, [file, `new ${n}`, '1']));
    for (const { code } of await Promise.all(children.map((child) => child.finished))) expect(code).toBe(0);
    const store = await open(file);
    expect([...store.votes()].map((vote) => vote.value).sort()).toEqual([
      'new 1',
      'new 2',
      'new 3',
      ...Array.from({ length: 5 }, () => 'old'),
    ]);
    expect(store.trail()).toEqual([]);
    store.close();
  });
});
