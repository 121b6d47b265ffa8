/** Which files are left out because others say the same. */
import { afterEach, describe, expect, it } from 'vitest';
import { buildIndex, openIndex } from './index.ts';
import { options, put, Scratch } from './testing/support.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const chapter = (name: string, more = '') =>
  Array.from(
    { length: 30 },
    (_, i) => `Valve number ${i} of the ${name} opens at ${i * 3 + name.length} bar and closes again.`,
  ).join(' ') + more;
const CHAPTERS = ['north wing', 'south wing', 'cellar'].map((name) => chapter(name));
const page = (text: string, title = 'Valves') =>
  `<html><title>${title}</title><h1>${title}</h1><p>${text}</p>`;
const PAGES = Object.fromEntries(
  CHAPTERS.map((text, i) => [`html/chapter${i}.html`, page(text, `Chapter ${i}`)]),
);
const BOOK = `<html><title>Valves</title>${CHAPTERS.map((text, i) => `<h1>Chapter ${i}</h1><p>${text}</p>`).join('')}`;
/** As lines of a text that was wrapped, under a number of pages. */
const wrapped = (text: string) => `${text.replace(/(.{60,72}) /g, '$1\n')}\n\n- 3 -\n`;

/** What is left out of an index of these files, by name, and what stays for it. */
async function leftOut(files: Readonly<Record<string, string>>): Promise<Record<string, string | null>> {
  const { leftOut } = await buildIndex([scratch.folder(files)], options(scratch.folder()));
  return Object.fromEntries(leftOut.map(({ name, of }) => [name.slice('docs/'.length), of]));
}

describe('the page of a whole manual', () => {
  it('is left out beside its chapters, each of which stays', async () => {
    const out = scratch.folder();
    const report = await buildIndex([scratch.folder({ ...PAGES, 'html/manual.html': BOOK })], options(out));
    expect(report.leftOut).toEqual([
      {
        name: 'docs/html/manual.html',
        reason: expect.stringMatching(
          /^holds nothing that is not in docs\/html\/chapter\d\.html and 2 other files$/,
        ),
        of: expect.stringMatching(/chapter/),
      },
    ]);
    expect((await openIndex(out)).documents).toHaveLength(3);
  });

  it.each([
    ['one sentence more', BOOK.replace('Valve number 7', 'The gate is shut. Valve number 7')],
    ['another number', BOOK.replace('at 24 bar', 'at 25 bar')],
    ['a chapter of which there is no page', `${BOOK}<h1>Attic</h1><p>${chapter('attic')}</p>`],
  ])('stays where it has %s', async (_, book) => {
    expect(await leftOut({ ...PAGES, 'html/manual.html': book })).toEqual({});
  });

  it('stays beside one chapter, which stays too', async () => {
    const [one] = Object.entries(PAGES);
    expect(await leftOut({ [one![0]]: one![1], 'html/manual.html': BOOK })).toEqual({});
  });

  it('stays where it is short: of lists it matters which of them names what', async () => {
    expect(await leftOut({ 'prod.txt': 'web1\nweb2\ndb1', 'eu.txt': 'web1\ndb1', 'us.txt': 'web2' })).toEqual(
      {},
    );
    const stubs = ['alice', 'bob', 'carol', 'dan'].map((name) => [`${name}.txt`, 'On leave.']);
    expect(await leftOut(Object.fromEntries(stubs))).toEqual({});
  });

  it('stays beside chapters that lie elsewhere, which not everybody may read', async () => {
    const board = Object.fromEntries(
      Object.entries(PAGES).map(([name, each]) => [name.replace('html/', 'board/'), each]),
    );
    expect(await leftOut({ ...board, 'public/manual.html': BOOK })).toEqual({});
  });

  it('that is in an index stays beside chapters that are put there, since nothing would bring it back', async () => {
    const out = scratch.folder();
    await buildIndex([scratch.folder({ 'html/manual.html': BOOK })], options(out));
    const more = options(out, { keepMissing: true });
    const report = await buildIndex([scratch.folder(PAGES)], more);
    expect(report).toMatchObject({ added: 3, removed: 0, leftOut: [] });
    const again = await buildIndex([scratch.folder({ 'html/valves.html': BOOK })], more);
    expect(again.leftOut).toMatchObject([{ name: 'docs/html/valves.html' }]);
  });

  it('is no record: those have ids of their own', async () => {
    const records = [...CHAPTERS, CHAPTERS.join(' ')].map((text, i) =>
      JSON.stringify({ _id: `r${i}`, title: '', text }),
    );
    expect(await leftOut({ 'records.jsonl': records.join('\n') })).toEqual({});
  });
});

describe('the same file in another format', () => {
  const text = wrapped(CHAPTERS.join('\n\n'));

  it('is left out beside the better one, page numbers aside', async () => {
    expect(await leftOut({ 'valves.html': page(CHAPTERS.join(' ')), 'valves.txt': text })).toEqual({
      'valves.txt': 'docs/valves.html',
    });
    expect(await leftOut({ 'valves.md': CHAPTERS.join('\n\n'), 'valves.txt': text })).toEqual({
      'valves.txt': 'docs/valves.md',
    });
    expect(
      await leftOut({ 'valves.md': CHAPTERS.join('\n\n'), 'valves.txt': text, 'html/valves.html': BOOK }),
    ).toEqual({ 'valves.md': 'docs/html/valves.html', 'valves.txt': 'docs/html/valves.html' });
  });

  it('is left out beside pages in a folder of its name, and beside a book that is left out for its chapters', async () => {
    const folder = Object.fromEntries(
      Object.entries(PAGES).map(([name, each]) => [name.replace('html/', 'valves.html/'), each]),
    );
    expect(await leftOut({ ...folder, 'valves.txt': text })).toEqual({
      'valves.txt': expect.stringMatching(/^docs\/valves\.html\/chapter/),
    });
    const both = await leftOut({ ...PAGES, 'html/valves.html': BOOK, 'valves.txt': text });
    expect(Object.keys(both).sort()).toEqual(['html/valves.html', 'valves.txt']);
    expect(both['valves.txt']).toMatch(/^docs\/html\/chapter/);
  });

  it.each([
    ['under another name', { 'valves.html': BOOK, 'valves-2021.txt': text }],
    ['that says another number', { 'valves.html': BOOK, 'valves.txt': text.replace('24 bar', '9000 bar') }],
    ['above an older one', { 'archive/2019/valves.html': BOOK, 'valves.txt': text }],
    ['in another folder', { 'new/valves.html': BOOK, 'old/valves.txt': text }],
    ['that says more', { 'valves.html': BOOK, 'valves.txt': text + wrapped(chapter('attic')) }],
    [
      'that is short',
      {
        'valves.html': page('The gate is shut. Nobody knows why.'),
        'valves.txt': 'The gate is shut. Nobody knows why. Ask.',
      },
    ],
    ['of which there is no better', { 'valves.csv': 'a,b\n1,2\n', 'valves.txt': text }],
  ])('stays %s', async (_, files) => {
    expect(await leftOut(files)).toEqual({});
  });

  it('comes back when the better one is gone', async () => {
    const docs = scratch.folder({ 'valves.html': BOOK, 'valves.txt': text });
    const out = scratch.folder();
    await buildIndex([docs], options(out));
    put(docs, 'valves.html', page('The pages have moved.'));
    const report = await buildIndex([docs], options(out));
    expect(report).toMatchObject({ leftOut: [], added: 1, changed: 1 });
  });
});
