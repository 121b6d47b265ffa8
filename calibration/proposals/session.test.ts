import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLabelled } from '../labels/load.ts';
import { Labelled } from '../types.ts';
import { openLabelFile } from './label-file.ts';
import type { Proposed } from './propose.ts';
import { answeredWith, type Dialogue, goThrough } from './session.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-session-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
const fresh = () => join(folder, `labels-${made++}.ndjson`);

const proposals: Proposed[] = Array.from({ length: 6 }, (_, i) => ({
  id: `asked-${i}`,
  kind: 'definition',
  ordinal: i,
  removed: false,
  answer: null,
  label: { query: `What is ${i}?`, passages: [`d${i}.md#0`], patterns: [`${i}`] },
}));

/** Somebody who says these lines and then no more. */
function saying(lines: readonly string[]): Dialogue & { said: string[]; given: (string | undefined)[] } {
  const left = [...lines];
  const said: string[] = [];
  const given: (string | undefined)[] = [];
  return {
    said,
    given,
    show: (_, { query }) => said.push(query),
    say: (line) => said.push(line),
    ask: async (_, text) => {
      given.push(text);
      return left.shift();
    },
  };
}

const read = async (file: string) =>
  (await readFile(file, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Labelled.parse(JSON.parse(line)));

describe('going through proposals', () => {
  it('takes, edits, answers, refuses and passes over, and keeps each at once', async () => {
    const file = fresh();
    const kept = await openLabelFile(file);
    const person = saying(['', 'e', 'What is one?', '', 'a', 'one | the one', '', 'u', 's', 'x', 'q']);
    expect(await goThrough(proposals, 50, kept, person)).toBe(true);
    expect(await read(file)).toEqual([
      { id: 'asked-0', query: 'What is 0?', passages: ['d0.md#0'], patterns: ['0'] },
      { id: 'asked-1', query: 'What is one?', passages: ['d1.md#0'], patterns: ['1'] },
      { id: 'asked-2', query: 'What is 2?', passages: ['d2.md#0'], answers: ['one', 'the one'] },
      { id: 'asked-3', query: 'What is 3?', answerable: false, group: 'd3.md' },
    ]);
    expect(await readFile(`${file}.skipped`, 'utf8')).toBe('asked-4\n');
    expect(person.given).toContain('What is 1?');
    expect(person.said).toContain('"x" is none of these.');
    expect((await loadLabelled(file)).map(({ group }) => group)).toEqual([
      'd0.md',
      'd1.md',
      'd2.md',
      'd3.md',
    ]);
  });

  it('goes on where it was left, shows nothing twice, and leaves other lines as they stand', async () => {
    const file = fresh();
    await writeFile(file, '{"id":"mine", "query":"By hand?","answers":["x"]}\n');
    await goThrough(proposals, 50, await openLabelFile(file), saying(['', 's', 'q']));
    const person = saying(['', 'q']);
    await goThrough(proposals, 50, await openLabelFile(file), person);
    expect(person.said).toEqual(['What is 2?', 'What is 3?']);
    expect((await readFile(file, 'utf8')).split('\n')[0]).toBe(
      '{"id":"mine", "query":"By hand?","answers":["x"]}',
    );
    expect((await read(file)).map(({ id }) => id)).toEqual(['mine', 'asked-0', 'asked-2']);
  });

  it('goes back over what was taken and what was passed over', async () => {
    const file = fresh();
    const person = saying(['', 's', 'b', 'b', 'b', 'u', '', 'q']);
    await goThrough(proposals, 50, await openLabelFile(file), person);
    expect((await read(file)).map(({ id, answerable }) => [id, answerable])).toEqual([
      ['asked-0', false],
      ['asked-1', undefined],
    ]);
    expect(await readFile(`${file}.skipped`, 'utf8')).toBe('');
    expect(person.said).toContain('There is nothing before this.');
  });

  it('ends when enough are kept, or nothing more is said', async () => {
    const kept = await openLabelFile(fresh());
    expect(await goThrough(proposals, 2, kept, saying(['', '', '', '']))).toBe(true);
    expect(kept.count).toBe(2);
    expect(await goThrough(proposals, 5, kept, saying(['a']))).toBe(false);
    expect(kept.count).toBe(2);
  });

  it('leaves a file of labels whatever is typed', async () => {
    const key = fc.oneof(fc.constantFrom('', 'e', 'a', 'u', 's', 'b'), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 25 }), async (lines) => {
        const file = fresh();
        const kept = await openLabelFile(file);
        await goThrough(proposals, 4, kept, saying(lines));
        const labels = await read(file);
        expect(labels.length).toBe(kept.count);
        expect(new Set(labels.map(({ id }) => id)).size).toBe(labels.length);
        const again = await openLabelFile(file);
        expect(again.count).toBe(kept.count);
        for (const { id } of proposals) expect(again.has(id)).toBe(kept.has(id));
      }),
      { numRuns: 40 },
    );
  });

  it('refuses a file of another kind, and one that is no file of labels', async () => {
    await expect(openLabelFile(join(folder, 'labels.json'))).rejects.toMatchObject({ code: 'USAGE' });
    const file = fresh();
    await writeFile(file, '{"query"\n');
    await expect(openLabelFile(file)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await readFile(file, 'utf8')).toBe('{"query"\n');
  });
});

describe('an answer that is typed', () => {
  const { label } = proposals[0]!;
  const rest = { query: label.query, passages: label.passages };
  it.each([
    ['ten days', { answers: ['ten days'] }],
    ['ten days | 10 days', { answers: ['ten days', '10 days'] }],
    ['/ten|10/', { patterns: ['ten|10'] }],
    ['unplug it > fill it', { steps: ['unplug it', 'fill it'] }],
    ['Depends', { verdict: 'depends' }],
  ])('%s', (typed, right) => {
    expect(answeredWith(label, typed)).toEqual({ ...rest, ...right });
  });
});
