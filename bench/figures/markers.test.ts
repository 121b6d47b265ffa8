import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { between, pagesOf, updatePages } from './markers.ts';

const page = (inside: string) => `before\n<!-- figures:t -->${inside}<!-- /figures:t -->\nafter\n`;

describe('between', () => {
  it('puts the table between the markers and leaves the rest, as often as one likes', () => {
    const once = between(page('\nold\n'), 't', '| $& |\n');
    expect(once).toBe(page('\n\n| $& |\n\n'));
    expect(between(once!, 't', '| $& |\n')).toBe(once);
  });

  it('knows whether a page has a place for it', () => {
    expect(between('nothing here', 't', 'x')).toBeNull();
    expect(between(page('').replaceAll('figures:t', 'figures:tt'), 't', 'x')).toBeNull();
  });

  it.each([
    '<!-- figures:t -->',
    '<!-- /figures:t -->',
    '<!-- /figures:t --> <!-- figures:t -->',
    page('') + page(''),
  ])('refuses markers that are no pair: %j', (text) => {
    expect(() => between(text, 't', 'x')).toThrow(expect.objectContaining({ code: 'CONFIGURATION' }));
  });
});

describe('pages', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'pragaura-pages-'));
    await writeFile(path.join(dir, 'README.md'), page('\n'));
    await writeFile(path.join(dir, 'DESIGN.md'), page('\n').replaceAll('figures:t', 'figures:u'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  const read = (file: string) => readFile(path.join(dir, file), 'utf8');

  it('are written where the markers are, and only when something changes', async () => {
    const tables = new Map([
      ['t', '| a |'],
      ['u', '| b |'],
    ]);
    expect(await updatePages(tables, dir)).toEqual(['README.md', 'DESIGN.md']);
    expect(await read('README.md')).toBe(page('\n\n| a |\n\n'));
    const before = await stat(path.join(dir, 'README.md'));
    expect(await updatePages(tables, dir)).toEqual([]);
    expect((await stat(path.join(dir, 'README.md'))).ino).toBe(before.ino);
    tables.set('u', '| c |');
    expect(await updatePages(tables, dir)).toEqual(['DESIGN.md']);
    expect(await read('DESIGN.md')).toContain('| c |');
  });

  it('are README, DESIGN and every Markdown file of docs, however deep', async () => {
    await mkdir(path.join(dir, 'docs', 'figures'), { recursive: true });
    const place = (name: string) => page('\n').replaceAll('figures:t', `figures:${name}`);
    await writeFile(path.join(dir, 'docs', 'v.md'), place('v'));
    await writeFile(path.join(dir, 'docs', 'figures', 'w.md'), place('w'));
    await writeFile(path.join(dir, 'docs', 'v.txt'), place('v'));
    const pages = await pagesOf(['w', 't', 'v'], dir);
    expect([...pages]).toEqual([
      ['t', 'README.md'],
      ['w', 'docs/figures/w.md'],
      ['v', 'docs/v.md'],
    ]);
    const tables = new Map([
      ['v', '| c |'],
      ['w', '| d |'],
    ]);
    expect(await updatePages(tables, dir)).toEqual(['docs/figures/w.md', 'docs/v.md']);
    expect(await read('docs/figures/w.md')).toBe(place('w').replace('-->\n<', '-->\n\n| d |\n\n<'));
    await writeFile(path.join(dir, 'docs', 'figures', 'x.md'), place('t'));
    await expect(pagesOf(['t'], dir)).rejects.toMatchObject({
      message: 'figures:t has a place in README.md and in docs/figures/x.md.',
    });
    await rm(path.join(dir, 'docs'), { recursive: true });
    await writeFile(path.join(dir, 'docs'), 'no folder');
    await expect(pagesOf(['t'], dir)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('without a place for a table, or with two, are left as they are', async () => {
    const before = await read('README.md');
    await expect(
      updatePages(
        new Map([
          ['t', 'x'],
          ['v', 'y'],
        ]),
        dir,
      ),
    ).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('figures:v'),
      hint: expect.stringContaining('<!-- figures:v -->'),
    });
    expect(await read('README.md')).toBe(before);
    await writeFile(path.join(dir, 'DESIGN.md'), page('\n'));
    await expect(pagesOf(['t'], dir)).rejects.toMatchObject({ message: expect.stringContaining('and in') });
    await rm(path.join(dir, 'DESIGN.md'));
    await expect(pagesOf(['t'], dir)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
