import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { buildIndex } from '../build-index.ts';
import { openIndex } from '../store/open-index.ts';
import { options, Scratch, vectorFor } from '../testing/support.ts';
import type { Call, IndexBackend } from './backend.ts';
import { embeddedBackend } from './embedded.ts';
import { type GuardLimits, guarded } from './guard.ts';
import { conforms } from './testing/conformance.ts';

conforms('embedded, guarded', async (dir) => guarded(embeddedBackend(await openIndex(dir))));

describe('a guarded backend', () => {
  const scratch = new Scratch();
  let whole: IndexBackend;
  beforeAll(async () => {
    const dir = join(scratch.folder(), '..', 'guarded');
    await buildIndex([scratch.folder({ 'a.md': '# Valve\n\nA valve controls water.\n' })], options(dir));
    whole = embeddedBackend(await openIndex(dir));
  });
  afterAll(() => scratch.clear());

  /** The index behind something that does `ails` before each search; its calls are counted. */
  function behind(
    ails: (time: number, call: Call) => unknown,
    limits: Partial<GuardLimits> = {},
  ): { backend: IndexBackend; calls: Call[] } {
    const calls: Call[] = [];
    const ailing: IndexBackend = {
      ...whole,
      async search(searches, call = {}) {
        calls.push(call);
        await ails(calls.length, call);
        return whole.search(searches, { signal: call.signal });
      },
    };
    return { backend: guarded(ailing, limits), calls };
  }

  const search = (backend: IndexBackend, call?: Call) =>
    backend.search([{ vector: vectorFor('valve'), k: 1 }], call);
  const gone = () => {
    throw new PragauraError('BACKEND_UNAVAILABLE', 'A node is gone.');
  };
  const hang = (_time: number, { signal }: Call) => sleep(60_000, undefined, { signal });

  it('tries a failed read once more, with the time that is left', async () => {
    const { backend, calls } = behind((time) => time === 1 && gone(), { searchMs: 10_000 });
    expect((await search(backend))[0]).toHaveLength(1);
    expect(calls[0]!.ms).toBe(4_000);
    expect(calls[1]!.ms).toBeGreaterThan(8_000);
    const twice = behind(gone);
    await expect(search(twice.backend)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(twice.calls).toHaveLength(2);
  });

  it('does not repeat what is no failure of the engine', async () => {
    const { backend, calls } = behind(() => {
      throw new PragauraError('INTERNAL', 'A defect.');
    });
    await expect(search(backend)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(calls).toHaveLength(1);
  });

  it('gives up one that hangs, and stops when its caller has gone', async () => {
    const { backend } = behind(hang, { searchMs: 50 });
    await expect(search(backend)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('took longer than 0.05 s'),
    });
    const slow = behind(hang);
    await expect(search(slow.backend, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(search(slow.backend, { ms: 20 })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('leaves one alone that failed too often, and tries one read after a rest', async () => {
    let ails = true;
    const { backend, calls } = behind(() => ails && gone(), { failures: 2, restMs: 150 });
    for (const _ of [1, 2]) await expect(search(backend)).rejects.toThrow('A node is gone.');
    expect(calls).toHaveLength(4);
    await expect(search(backend)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(/left alone for 0\.15 s\. It failed last with: A node is gone\./),
    });
    expect(calls).toHaveLength(4);
    await sleep(160);
    ails = false;
    const found = await Promise.all([search(backend), search(backend), search(backend)]);
    expect(found.flat()).toHaveLength(3);
    expect(calls).toHaveLength(7);
  });

  it('does not keep those who wait for the one read longer than they would wait for their own', async () => {
    let ails: 'gone' | 'hang' = 'gone';
    const { backend } = behind((time, call) => (ails === 'gone' ? gone() : hang(time, call)), {
      failures: 1,
      restMs: 20,
      searchMs: 60_000,
    });
    await expect(search(backend)).rejects.toThrow('A node is gone.');
    await sleep(30);
    ails = 'hang';
    const leaving = new AbortController();
    const first = search(backend, { signal: leaving.signal });
    await expect(search(backend, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    leaving.abort();
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
