/** The cursor of a reader: what it remembers, and how large it gets. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Journal } from './journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-journal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const placeAt = (n: number) => ({ epoch: 'e', after: `${n}-0`, position: n, passed: 'p', bytes: n });

it('stays small however long it is written, and knows the same afterwards', async () => {
  const file = join(folder, 'long');
  const journal = await Journal.open(file);
  // 100 kB a time, of which one key is new.
  const keys = Array.from({ length: 4_000 }, (_, i) => `q${String(i).padStart(20, '0')}.0`);
  const notes = 60;
  let largest = 0;
  for (let n = 1; n <= notes; n += 1) {
    await journal.note(placeAt(n), [...keys, `new${n}.0`]);
    largest = Math.max(largest, statSync(file).size);
  }
  await journal.close();
  expect(largest).toBeGreaterThan(4_000_000);
  expect(largest).toBeLessThan(4_600_000);
  const again = await Journal.open(file);
  expect(again.place).toMatchObject(placeAt(notes));
  expect([...again.written()]).toHaveLength(keys.length + notes);
  expect(again.has('new1.0') && again.has(`new${notes}.0`)).toBe(true);
  await again.close();
});

it('reads one that did not say yet in which ledger it stands', async () => {
  const file = join(folder, 'old');
  writeFileSync(
    file,
    '{"schema":"pragaura.cursor/1","epoch":"e","after":"1-0","position":7,"bytes":null,"written":["a.0"]}\n',
  );
  const journal = await Journal.open(file);
  expect(journal.place).toMatchObject({ position: 7, passed: null });
  expect(journal.has('a.0')).toBe(true);
  await journal.close();
});
