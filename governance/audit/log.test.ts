import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { tryFileLock } from '../../common/index.ts';
import { ensureSigningKey, type SigningKey } from '../keys.ts';
import type { Actor, AuditEvent, Entry } from './entry.ts';
import { AuditLog } from './log.ts';
import { recoverLog } from './recover.ts';
import { verifyLog } from './verify.ts';

const root = mkdtempSync(join(tmpdir(), 'pragaura-audit-'));
let folder: string;
let file: string;
let key: SigningKey;
const by: Actor = { id: 'ann', roles: ['reader'], via: 'token' };
const event = (about: string, detail: AuditEvent['detail'] = {}): AuditEvent => ({
  kind: 'decision.made',
  by,
  about,
  detail,
});
const entries = () =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
const abouts = () =>
  entries().flatMap((entry) =>
    entry.type === 'event' && entry.event.about !== '' ? [entry.event.about] : [],
  );

beforeEach(() => {
  folder = mkdtempSync(join(root, 'log-'));
  file = join(folder, 'audit.log');
  key = ensureSigningKey(`${file}.key`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('AuditLog', () => {
  it('gives an event a number once it is on the disk, signed', async () => {
    const log = await AuditLog.open({ file, key, clock: () => 0 });
    expect(await log.append(event('q1'))).toBe(2);
    expect(entries()).toMatchObject([
      { seq: 0, type: 'event', at: '1970-01-01T00:00:00.000Z', event: { kind: 'log.began' } },
      { seq: 1, type: 'seal' },
      { seq: 2, type: 'event', event: { about: 'q1', by } },
      { seq: 3, type: 'seal', events: 1, key: key.fingerprint },
    ]);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(statSync(`${file}.key`).mode & 0o077).toBe(0);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('takes what queries may hold', async () => {
    const log = await AuditLog.open({ file, key });
    await log.append(
      event('\ud800 lone', { __proto__x: 1, 10: 'b', 9: 'a', text: 'a\n\u2028b \u0000', n: 1e21, small: -0 }),
    );
    await log.append(event('q', JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')));
    expect(await verifyLog(file, { key })).toMatchObject({ verdict: 'whole', events: 3 });
  });

  it.each([
    ['a number that JSON has not', { U: Number.NaN }],
    ['more than a line holds', { text: 'x'.repeat(5 * 1024 * 1024) }],
  ])('refuses %s, and goes on', async (_, detail) => {
    const log = await AuditLog.open({ file, key });
    await expect(log.append(event('bad', detail))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await log.append(event('good'));
    expect(abouts()).toEqual(['good']);
  });

  it('is one chain for many writers', async () => {
    const logs = await Promise.all(Array.from({ length: 4 }, () => AuditLog.open({ file, key })));
    const names = Array.from({ length: 200 }, (_, i) => `q${i}`);
    const seqs = await Promise.all(names.map((name, i) => logs[i % 4]!.append(event(name))));
    expect(new Set(seqs).size).toBe(200);
    expect(abouts().sort()).toEqual(names.sort());
    expect(await verifyLog(file, { key })).toMatchObject({ verdict: 'whole', events: 201 });
  });

  it('counts a clock that goes back, and keeps the order', async () => {
    let now = 1e12;
    const log = await AuditLog.open({ file, key, clock: () => now });
    for (const name of ['a', 'b', 'c']) {
      now -= 1000;
      await log.append(event(name));
    }
    expect(abouts()).toEqual(['a', 'b', 'c']);
    expect(await verifyLog(file, { key })).toMatchObject({ verdict: 'whole', clockBackwards: 3 });
  });

  it('fails where somebody else holds it, in the time given, and goes on after', async () => {
    const log = await AuditLog.open({ file, key, patienceMs: 50 });
    const release = tryFileLock(`${file}.lock`)!;
    await expect(log.append(event('held'))).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    release();
    await log.append(event('free'));
    expect(abouts()).toEqual(['free']);
  });

  it.each(['removed', 'shortened', 'changed', 'replaced'])(
    'fails for a file that was %s while it was open',
    async (how) => {
      const log = await AuditLog.open({ file, key });
      await log.append(event('q1'));
      const text = readFileSync(file, 'utf8');
      if (how === 'removed') rmSync(file);
      if (how === 'shortened') truncateSync(file, text.length - 600);
      if (how === 'changed') writeFileSync(file, `${text.slice(0, -10)}x${text.slice(-9)}`);
      if (how === 'replaced') {
        rmSync(file);
        const other = await AuditLog.open({ file, key });
        for (let i = 0; i < 9; i += 1) await other.append(event(`other${i}`));
      }
      const code = how === 'removed' ? 'AUDIT_FAILED' : 'AUDIT_UNUSABLE';
      await expect(log.append(event('q2'))).rejects.toMatchObject({ code });
      expect(existsSync(file)).toBe(how !== 'removed');
    },
  );

  it('does not open what has another key, or is no log', async () => {
    await (await AuditLog.open({ file, key })).append(event('q1'));
    const other = ensureSigningKey(join(folder, 'other.key'));
    await expect(AuditLog.open({ file, key: other })).rejects.toMatchObject({ code: 'AUDIT_UNUSABLE' });
    writeFileSync(file, 'Dear diary,\n');
    await expect(AuditLog.open({ file, key })).rejects.toMatchObject({ code: 'AUDIT_UNUSABLE' });
  });

  it('fails typed where there is no folder, and on a full disk', async () => {
    const nowhere = join(folder, 'none', 'audit.log');
    await expect(AuditLog.open({ file: nowhere, key })).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    symlinkSync('/dev/full', file);
    await expect(AuditLog.open({ file, key })).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringContaining('the disk is full'),
    });
  });
});

describe('a log that a crash cut', () => {
  it('at any byte of its last segment is told from a tampered one and mended, and what has a seal stays', async () => {
    const log = await AuditLog.open({ file, key });
    await log.append(event('kept'));
    const sealed = statSync(file).size;
    await Promise.all([log.append(event('lost1')), log.append(event('lost2'))]);
    const whole = readFileSync(file);
    for (let size = sealed + 1; size < whole.length; size += 1) {
      writeFileSync(file, whole.subarray(0, size));
      const report = await verifyLog(file, { key });
      expect([size, report.verdict, report.sealedBytes]).toEqual([size, 'cut', sealed]);
      if (size % 41 !== 0) continue;
      await expect(AuditLog.open({ file, key })).rejects.toMatchObject({ code: 'AUDIT_UNUSABLE' });
      const { bytes, kept } = await recoverLog(file, key, by);
      expect(bytes).toBe(size - sealed);
      expect(readFileSync(kept!)).toEqual(whole.subarray(sealed, size));
      await (await AuditLog.open({ file, key })).append(event('after'));
      expect(abouts()).toEqual(['kept', 'after']);
      expect((await verifyLog(file, { key })).verdict).toBe('whole');
    }
  });

  it('with room that was made and never filled is one too', async () => {
    await (await AuditLog.open({ file, key })).append(event('kept'));
    const whole = readFileSync(file);
    writeFileSync(file, Buffer.concat([whole, Buffer.from('{"at":"20'), Buffer.alloc(300)]));
    expect((await verifyLog(file, { key })).verdict).toBe('cut');
  });

  it('in its very first segment begins anew', async () => {
    await AuditLog.open({ file, key });
    truncateSync(file, 40);
    expect(await recoverLog(file, key, by)).toMatchObject({ bytes: 40 });
    expect(await verifyLog(file, { key })).toMatchObject({ verdict: 'whole', events: 2 });
  });

  it('is no excuse for one that was changed: that is left alone', async () => {
    const log = await AuditLog.open({ file, key });
    await log.append(event('q1'));
    await log.append(event('q2'));
    const text = readFileSync(file, 'utf8').replace('"q1"', '"q7"').slice(0, -30);
    writeFileSync(file, text);
    await expect(recoverLog(file, key, by)).rejects.toMatchObject({ code: 'AUDIT_UNUSABLE' });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('has nothing to mend where it is whole', async () => {
    await AuditLog.open({ file, key });
    const before = readFileSync(file);
    expect(await recoverLog(file, key, by)).toEqual({ bytes: 0, kept: null });
    expect(readFileSync(file)).toEqual(before);
  });
});
