/** What holds of staging, whatever engine it lies in. Tests only. */
import { describe, expect, it } from 'vitest';
import { openStaging } from '../open.ts';

const KEY = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];

/** `backend`: of an engine that runs when tests do. */
export function stages(engine: string, backend: () => string): void {
  describe(`staging in ${engine}`, () => {
    const open = (name: string) => openStaging(name, backend());

    it('gives back what was written, of any size, and what was written last', async () => {
      const staging = await open('values');
      const large = Buffer.alloc(9_500_000, 'water ');
      await staging.write(KEY[0], Buffer.alloc(0));
      await staging.write(KEY[1], Buffer.from('once'));
      await Promise.all([staging.write(KEY[1], Buffer.from('again')), staging.write(KEY[2], large)]);
      expect(await staging.read(KEY[0])).toEqual(Buffer.alloc(0));
      expect((await staging.read(KEY[1]))!.toString()).toBe('again');
      expect((await staging.read(KEY[2]))!.equals(large)).toBe(true);
      expect(await staging.read('d'.repeat(64))).toBeNull();
      expect(await staging.has([...KEY, 'd'.repeat(64)])).toEqual(new Set(KEY));
      await staging.close();
    });

    it('keeps what it is told to keep, and leaves other indexes alone', async () => {
      const [staging, other] = [await open('swept'), await open('other')];
      for (const key of KEY) await staging.write(key, Buffer.from(key));
      await other.write(KEY[0], Buffer.from('other'));
      expect(await staging.keepOnly([KEY[1]])).toBe(2);
      expect(await staging.has(KEY)).toEqual(new Set([KEY[1]]));
      expect((await staging.read(KEY[1]))!.toString()).toBe(KEY[1]);
      expect(await staging.keepOnly([])).toBe(1);
      expect((await other.read(KEY[0]))!.toString()).toBe('other');
      await Promise.all([staging.close(), other.close()]);
    });

    it('is made once, by whoever comes first', async () => {
      const opened = await Promise.all(Array.from({ length: 4 }, () => open('at-once')));
      await Promise.all(opened.map((staging, i) => staging.write(KEY[0], Buffer.from(`${i}`))));
      expect((await opened[0]!.read(KEY[0]))!.toString()).toMatch(/^[0-3]$/);
      await Promise.all(opened.map((staging) => staging.close()));
    });
  });
}
