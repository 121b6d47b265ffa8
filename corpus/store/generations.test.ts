import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  buildIndex,
  discardStaged,
  generationsOf,
  keepGenerations,
  openIndex,
  promote,
  rollBack,
} from '../index.ts';
import { options, put, Scratch } from '../testing/support.ts';
import { generationAsOf } from './generations.ts';
import { pointAt } from './write-generation.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const folders = (out: string) =>
  readdirSync(out)
    .filter((name) => name.startsWith('generation-'))
    .sort();
const textOf = async (out: string, asOf?: string) =>
  (await openIndex(out, asOf)).passages.map(({ text }) => text).join(' ');

/** An index of one document that was written anew so many times, with the moments between. */
async function written(times: number, keep: number | undefined) {
  const docs = scratch.folder();
  const out = join(docs, '..', 'out');
  const moments: Date[] = [];
  for (let turn = 1; turn <= times; turn += 1) {
    put(docs, 'a.md', `The fee is ${turn} crowns.`);
    await buildIndex([docs], {
      ...options(out),
      ...(keep !== undefined && turn === 1 && { keepGenerations: keep }),
    });
    await sleep(5);
    moments.push(new Date());
    await sleep(5);
  }
  return { docs, out, moments };
}

describe('generations of an index', () => {
  it('are one, and nothing is written of them, where none is to be kept', async () => {
    const { out } = await written(3, undefined);
    expect(folders(out)).toEqual(['generation-000003']);
    expect(existsSync(join(out, 'generations.json'))).toBe(false);
    expect(generationsOf(out)).toMatchObject([
      { generation: 'generation-000003', documents: 1, current: true },
    ]);
    expect(() => rollBack(out, undefined)).toThrow('There is no generation before.');
  });

  it('are kept as many as are wanted, each as it was, by name, hash and moment', async () => {
    const { out, moments } = await written(5, 2);
    expect(folders(out)).toEqual(['generation-000003', 'generation-000004', 'generation-000005']);
    const there = generationsOf(out);
    expect(there.map(({ generation, current }) => [generation, current])).toEqual([
      ['generation-000005', true],
      ['generation-000004', false],
      ['generation-000003', false],
    ]);
    expect(await textOf(out)).toBe('The fee is 5 crowns.');
    expect(await textOf(out, 'generation-000003')).toBe('The fee is 3 crowns.');
    expect(await textOf(out, there[1]!.hash.slice(0, 8))).toBe('The fee is 4 crowns.');
    for (const turn of [3, 4, 5]) {
      expect(await textOf(out, moments[turn - 1]!.toISOString())).toBe(`The fee is ${turn} crowns.`);
    }
    expect(await textOf(out, moments[4]!.toISOString().slice(0, 10))).toBe('The fee is 5 crowns.');
    for (const gone of [
      moments[0]!.toISOString(),
      '2001-01-01',
      'generation-000001',
      'abcdef',
      'yesterday',
    ]) {
      await expect(openIndex(out, gone)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('can be gone back to, and forth, and what is written then comes behind all that is there', async () => {
    const { docs, out } = await written(3, 5);
    const before = (await openIndex(out, 'generation-000002')).manifest.hash;
    const done = rollBack(out, undefined);
    expect(done).toMatchObject({
      from: { generation: 'generation-000003' },
      to: { generation: 'generation-000002', current: true },
    });
    expect(await textOf(out)).toBe('The fee is 2 crowns.');
    expect((await openIndex(out)).manifest.hash).toBe(before);
    expect(await textOf(out, new Date().toISOString())).toBe('The fee is 2 crowns.');
    rollBack(out, 'generation-000003');
    expect(await textOf(out)).toBe('The fee is 3 crowns.');
    rollBack(out, 'generation-000001');
    put(docs, 'b.md', 'A second page.');
    await buildIndex([docs], options(out));
    expect(folders(out).at(-1)).toBe('generation-000004');
    expect(folders(out)).toHaveLength(4);
    expect(await textOf(out)).toBe('The fee is 3 crowns. A second page.');
    expect(() => rollBack(out, 'generation-000004')).toThrow('is the index already');
  });

  it('that are gone are not mistaken for older ones that were gone back to', async () => {
    const { docs, out, moments } = await written(3, 2);
    rollBack(out, 'generation-000001');
    put(docs, 'a.md', 'The fee is 4 crowns.');
    await buildIndex([docs], options(out));
    // Of 4, 1, 3, 2, by when they were the index last, two stay beside the new one.
    expect(folders(out)).toEqual(['generation-000001', 'generation-000003', 'generation-000004']);
    expect(await textOf(out, moments[0]!.toISOString())).toBe('The fee is 1 crowns.');
    expect(await textOf(out, moments[2]!.toISOString())).toBe('The fee is 3 crowns.');
    await expect(openIndex(out, moments[1]!.toISOString())).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('is not kept'),
    });
  });

  it('that were there before any was to be kept are the first to go back to', async () => {
    const { docs, out } = await written(1, undefined);
    put(docs, 'a.md', 'Another fee.');
    await buildIndex([docs], { ...options(out), keepGenerations: 1 });
    expect(await textOf(out, 'generation-000001')).toBe('The fee is 1 crowns.');
    keepGenerations(out, 0);
    expect(folders(out)).toEqual(['generation-000002']);
  });

  it('survive a crash between the pointer and the history, in whichever order it is looked at', async () => {
    const { docs, out } = await written(3, 3);
    // As if the process had died when the pointer was set.
    pointAt(out, 'generation-000001');
    expect(await textOf(out)).toBe('The fee is 1 crowns.');
    expect(generationsOf(out).map(({ generation }) => generation)).toEqual([
      'generation-000001',
      'generation-000003',
      'generation-000002',
    ]);
    put(docs, 'a.md', 'The fee is 4 crowns.');
    await buildIndex([docs], options(out));
    expect(folders(out)).toHaveLength(4);
    rollBack(out, undefined);
    expect(await textOf(out)).toBe('The fee is 1 crowns.');
  });

  it('with a history that cannot be read are not guessed at; the index itself is', async () => {
    const { docs, out } = await written(2, 2);
    const file = join(out, 'generations.json');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
    expect(await textOf(out)).toBe('The fee is 2 crowns.');
    for (const work of [
      () => generationsOf(out),
      () => rollBack(out, undefined),
      () => generationAsOf(out, 'a'),
    ]) {
      expect(work).toThrow(expect.objectContaining({ code: 'INDEX_UNUSABLE' }));
    }
    await expect(buildIndex([docs], options(out))).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
    expect(folders(out)).toHaveLength(2);
    rmSync(file);
    await buildIndex([docs], options(out));
    expect(await textOf(out)).toBe('The fee is 2 crowns.');
  });

  it('are not touched while somebody writes, nor in a folder that is no index', async () => {
    const { out } = await written(2, 2);
    writeFileSync(join(out, 'pragaura.lock'), JSON.stringify({ pid: 1, host: 'elsewhere', at: Date.now() }));
    expect(() => rollBack(out, undefined)).toThrow(expect.objectContaining({ code: 'INDEX_LOCKED' }));
    expect(() => rollBack(scratch.folder(), undefined)).toThrow(/There is no index/);
    expect(() => keepGenerations(scratch.folder(), 1)).toThrow(/There is no index/);
  });
});

describe('a staged generation', () => {
  const staged = async (keep: number | undefined) => {
    const { docs, out } = await written(1, keep);
    put(docs, 'a.md', 'The fee is 9 crowns.');
    const { generation, hash } = await buildIndex([docs], { ...options(out), stage: true });
    return { docs, out, generation, hash, base: generationsOf(out)[0]!.hash };
  };

  it.each([undefined, 0, 2])(
    'is not the index until it is made that, and then the one before is kept (%s)',
    async (keep) => {
      const { out, generation, hash, base } = await staged(keep);
      expect(await textOf(out)).toBe('The fee is 1 crowns.');
      expect(await textOf(out, generation)).toBe('The fee is 9 crowns.');
      expect(generationsOf(out).map((each) => each.hash)).toEqual([base]);
      promote(out, generation, base);
      expect(await textOf(out)).toBe('The fee is 9 crowns.');
      expect(generationsOf(out).map((each) => each.hash)).toEqual([hash, base]);
      rollBack(out, undefined);
      expect(await textOf(out)).toBe('The fee is 1 crowns.');
    },
  );

  it('is none any more once something else was built, or it was discarded', async () => {
    const { docs, out, generation, base } = await staged(undefined);
    put(docs, 'a.md', 'The fee is 5 crowns.');
    await buildIndex([docs], options(out));
    expect(() => promote(out, generation, base)).toThrow('was changed meanwhile');
    expect(await textOf(out)).toBe('The fee is 5 crowns.');
    const again = await buildIndex([docs], { ...options(out), stage: true });
    discardStaged(out);
    expect(folders(out)).toEqual([generationsOf(out)[0]!.generation]);
    expect(() => promote(out, again.generation, generationsOf(out)[0]!.hash)).toThrow(
      'was changed meanwhile',
    );
    expect(await textOf(out)).toBe('The fee is 5 crowns.');
  });

  it('needs an index to stand on', async () => {
    const docs = scratch.folder();
    put(docs, 'a.md', 'The fee is 1 crown.');
    const out = join(docs, '..', 'none');
    await expect(buildIndex([docs], { ...options(out), stage: true })).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
    });
    expect(existsSync(out)).toBe(false);
  });
});
