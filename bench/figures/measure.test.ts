/** Measuring a table anew, with the program itself. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from '../../cli/testing/cli.ts';
import { readFigures } from './figures-file.ts';
import { MEASURABLE, measure } from './measure.ts';
import { RESULTS } from './pages.ts';
import type { Shipped } from './shipped.ts';

const SHIPPED: Shipped = { embed: { name: 'ours', sha256: 'a'.repeat(64) } };

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-measure-'));
  await mkdir(path.join(dir, RESULTS), { recursive: true });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const options = (said: string[] = []) => ({
  data: path.join(dir, 'no-data'),
  folder: path.join(dir, 'runs'),
  fresh: false,
  main: MAIN,
  say: (line: string) => void said.push(line),
});

describe('a table that is measured anew', () => {
  it('is kept with its command, without places on this machine, and not measured twice', async () => {
    expect(MEASURABLE).toContain('defaults');
    const file = await measure('defaults', dir, SHIPPED, options());
    expect(file).toBe(`${RESULTS}/defaults.json`);
    const kept = await readFigures(path.join(dir, file));
    expect(kept).toMatchObject({
      command: 'pragaura bench defaults',
      models: { embed: `ours@${'a'.repeat(64)}` },
      data: {},
      report: { results: expect.arrayContaining([expect.objectContaining({ policy: 'ours' })]) },
    });
    expect(await readFile(path.join(dir, file), 'utf8')).not.toContain(dir);
    const said: string[] = [];
    await measure('defaults', dir, SHIPPED, options(said));
    expect(said).toEqual(['defaults: as run before']);
  });

  it.each([
    ['a name that nothing measures', 'constructor', 'USAGE', 'constructor'],
    ['data that is missing', 'speech-acts', 'NOT_FOUND', 'trec-qc/train_5500.label'],
  ])('is refused for %s', async (_, name, code, message) => {
    await expect(measure(name, dir, SHIPPED, options())).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it('that was interrupted is not kept', async () => {
    const given = { ...options(), fresh: true, signal: AbortSignal.abort() };
    await expect(measure('queue', dir, SHIPPED, { ...given, data: '/' })).rejects.toThrow();
    await expect(readFigures(path.join(dir, RESULTS, 'queue.json'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
