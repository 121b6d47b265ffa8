/** Whatever is done to a log behind its back is seen. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureSigningKey, type SigningKey } from '../keys.ts';
import { canonicalText, type Entry, lineHash, type SealEntry, sealed } from './entry.ts';
import { AuditLog } from './log.ts';
import { type AuditReport, readCheckpoint, verifyLog } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-tampering-'));
const file = join(folder, 'audit.log');
const copy = join(folder, 'copy.log');
let key: SigningKey;
let lines: string[];
let last: SealEntry;

/** What became of the log once its lines are these. */
function reportOf(changed: readonly string[]): Promise<AuditReport> {
  writeFileSync(copy, changed.map((line) => `${line}\n`).join(''));
  return verifyLog(copy, { key });
}

beforeAll(async () => {
  key = ensureSigningKey(join(folder, 'key'));
  const log = await AuditLog.open({ file, key });
  // Segments of one to five events, each length four times; every change is tried at every line.
  for (let n = 0; n < 60; ) {
    const size = 1 + (n % 5);
    const events = Array.from({ length: size }, () => {
      n += 1;
      const detail = { U: n / 7, reason: n % 2 === 0 ? null : 'LOW_SUPPORT', text: `naïve ${n} “x”` };
      return {
        kind: 'decision.made',
        by: { id: `u${n % 3}`, roles: [], via: 'none' as const },
        about: `q${n}`,
        detail,
      };
    });
    await Promise.all(events.map((event) => log.append(event)));
  }
  lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  last = JSON.parse(lines.at(-1)!) as SealEntry;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a log', () => {
  it('is whole as it was written', async () => {
    const report = await verifyLog(file, { key, checkpoints: [last] });
    expect(report).toMatchObject({
      verdict: 'whole',
      problem: null,
      clockBackwards: 0,
      seal: { seq: last.seq },
    });
    expect(report.events).toBeGreaterThanOrEqual(60);
    expect(report.sealedBytes).toBe(report.bytes);
    expect(lines.length).toBe(report.events + report.seals);
  });

  const change = (line: string, at: number) => {
    const other = line[at] === 'x' ? 'y' : 'x';
    return line.slice(0, at) + other + line.slice(at + 1);
  };

  it.each<[string, (i: number) => string[]]>([
    ['a letter changed', (i) => lines.with(i, change(lines[i]!, (i * 37) % lines[i]!.length))],
    ['a space added', (i) => lines.with(i, `${lines[i]} `)],
    ['a line dropped', (i) => lines.toSpliced(i, 1)],
    ['a line doubled', (i) => lines.toSpliced(i, 0, lines[i]!)],
    ['a line put first', (i) => [lines[i === 0 ? 1 : i]!, ...lines.toSpliced(i === 0 ? 1 : i, 1)]],
    [
      'two lines exchanged',
      (i) => lines.with(i, lines[(i + 1) % lines.length]!).with((i + 1) % lines.length, lines[i]!),
    ],
    ['an empty line', (i) => lines.toSpliced(i, 0, '')],
  ])('with %s is told from a whole one, at every line', async (_, tampered) => {
    let tried = 0;
    for (let i = 0; i < lines.length; i += 1) {
      const { verdict } = await reportOf(tampered(i));
      // Without its last line a log looks as after a crash; in no other place does it.
      const lastDropped = i === lines.length - 1 && tampered(i).length < lines.length;
      expect([i, verdict]).toEqual([i, lastDropped ? 'cut' : 'tampered']);
      tried += 1;
    }
    expect(tried).toBe(lines.length);
    expect(tried).toBeGreaterThan(75);
  });

  it('that ends early is cut or, at a seal, whole but for a checkpoint kept elsewhere', async () => {
    let unseen = 0;
    for (let keep = 0; keep < lines.length; keep += 1) {
      const report = await reportOf(lines.slice(0, keep));
      const atSeal = lines[keep - 1]?.includes('"type":"seal"') === true;
      expect([keep, report.verdict]).toEqual([keep, atSeal ? 'whole' : 'cut']);
      if (atSeal) unseen += 1;
      expect((await verifyLog(copy, { key, checkpoints: [last] })).verdict).toBe('tampered');
    }
    expect(unseen).toBeGreaterThan(15);
  });

  it('with any one bit changed is told, at every byte', async () => {
    const short = join(folder, 'short.log');
    const log = await AuditLog.open({ file: short, key });
    for (const about of ['q1', 'q2', 'q3']) {
      await log.append({
        kind: 'decision.made',
        by: { id: 'x', roles: [], via: 'none' },
        about,
        detail: { U: 0.25 },
      });
    }
    const bytes = readFileSync(short);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(copy, changed);
      const { verdict } = await verifyLog(copy, { key });
      expect([at, verdict === 'whole']).toEqual([at, false]);
    }
  });

  it('that was chained anew after a change fails by its seals', async () => {
    const events = lines.map((line) => JSON.parse(line) as Entry);
    for (const at of [0, 1, 7, 40, lines.length - 2]) {
      const entry = structuredClone(events[at]!);
      if (entry.type === 'event') entry.event.by.id = 'somebody else';
      else entry.at = '2020-01-01T00:00:00.000Z';
      let previous = at === 0 ? '0'.repeat(64) : lineHash(lines[at - 1]!);
      const anew = events.toSpliced(at, 1, entry).map((each, i) => {
        if (i < at) return lines[i]!;
        const line = canonicalText({ ...each, previous });
        previous = lineHash(line);
        return line;
      });
      const report = await reportOf(anew);
      expect(report.verdict).toBe('tampered');
      expect(report.problem!.message).toBe('has a signature that does not hold');
    }
  });

  it('that was written anew with another key is told where the key is kept elsewhere', async () => {
    const forger = ensureSigningKey(join(folder, 'forger'));
    const forged = join(folder, 'forged.log');
    const log = await AuditLog.open({ file: forged, key: forger });
    await log.append({
      kind: 'decision.made',
      by: { id: 'x', roles: [], via: 'none' },
      about: 'q1',
      detail: {},
    });
    expect(await verifyLog(forged)).toMatchObject({ verdict: 'whole', keyFrom: 'own' });
    expect(await verifyLog(forged, { key })).toMatchObject({ verdict: 'tampered', keyFrom: 'given' });
    expect(await verifyLog(forged, { checkpoints: [last] })).toMatchObject({ verdict: 'tampered' });
  });

  it('with a seal that the forger signed in the name of the key is told', async () => {
    const forger = ensureSigningKey(join(folder, 'forger'));
    const { signature: _, ...seal } = last;
    const report = await reportOf(lines.with(-1, canonicalText(sealed(seal, forger))));
    expect(report.verdict).toBe('tampered');
  });

  it('that was begun anew by the same key is told by a checkpoint', async () => {
    const other = join(folder, 'other.log');
    const log = await AuditLog.open({ file: other, key });
    for (let i = 0; i < lines.length; i += 1) {
      await log.append({
        kind: 'decision.made',
        by: { id: 'x', roles: [], via: 'none' },
        about: 'q1',
        detail: {},
      });
    }
    expect((await verifyLog(other, { key })).verdict).toBe('whole');
    const { verdict, problem } = await verifyLog(other, { key, checkpoints: [last] });
    expect(verdict).toBe('tampered');
    expect(problem!.message).toContain('another log');
  });
});

describe('a checkpoint', () => {
  it('is the line of a seal, and nothing else', async () => {
    const kept = join(folder, 'kept.json');
    writeFileSync(kept, `${lines.at(-1)}\n`);
    expect(await readCheckpoint(kept)).toEqual(last);
    for (const text of ['', '{}', lines[0]!, `${lines.at(-1)} `]) {
      writeFileSync(kept, text);
      await expect(readCheckpoint(kept)).rejects.toMatchObject({ code: 'AUDIT_UNUSABLE' });
    }
    await expect(readCheckpoint(join(folder, 'none'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that was changed vouches for nothing', async () => {
    const report = await verifyLog(file, { key, checkpoints: [{ ...last, at: '2020-01-01T00:00:00.000Z' }] });
    expect(report.verdict).toBe('tampered');
    expect(report.problem!.message).toContain('not signed by the key');
  });

  it('holds for the log that went on', async () => {
    writeFileSync(copy, readFileSync(file));
    const log = await AuditLog.open({ file: copy, key });
    await log.append({
      kind: 'decision.made',
      by: { id: 'x', roles: [], via: 'none' },
      about: 'q',
      detail: {},
    });
    expect((await verifyLog(copy, { key, checkpoints: [last] })).verdict).toBe('whole');
    appendFileSync(copy, '\n');
    expect((await verifyLog(copy, { key })).verdict).toBe('tampered');
  });
});
