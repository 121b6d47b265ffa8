import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvBlocks } from '../readers/csv.ts';
import { extractHtml } from '../readers/html.ts';
import { readMarkdown } from '../readers/markdown.ts';
import { linePositions } from '../readers/offsets.ts';
import { textBlocks } from '../readers/text.ts';
import { countWords } from '../testing/support.ts';
import type { SourceDocument } from '../types.ts';
import { splitDocument } from './split.ts';

function plain(text: string): SourceDocument {
  const positionAt = linePositions(text);
  return { docId: 'd', title: 'T', source: 's', text, ...textBlocks(text), positionAt };
}

function markdown(text: string): SourceDocument {
  return { ...plain(text), ...readMarkdown(text) };
}

function html(text: string): SourceDocument {
  return { ...plain(''), ...extractHtml(text), title: 'T' };
}

const split = (document: SourceDocument, maxTokens = 20) =>
  splitDocument(document, { maxTokens, countTokens: countWords });

const sentence = (n: number) => `Sentence ${n} has just six words.`;

describe('splitDocument', () => {
  it('keeps a block whole that fits', () => {
    const text = `${sentence(1)} ${sentence(2)}`;
    expect(split(plain(text))).toEqual([
      {
        docId: 'd',
        passageId: 'd#0',
        start: 0,
        end: text.length,
        text,
        title: 'T',
        genre: 'narrative',
        source: 's',
        position: '1:1',
      },
    ]);
  });

  it('cuts a long paragraph between sentences, evenly, repeating one', () => {
    const text = Array.from({ length: 8 }, (_, i) => sentence(i)).join(' ');
    const passages = split(plain(text), 30);
    expect(passages.length).toBeGreaterThan(2);
    passages.forEach((passage, i) => {
      expect(countWords(passage.text)).toBeLessThanOrEqual(30);
      expect(countWords(passage.text)).toBeGreaterThan(7);
      const before = passages[i - 1];
      if (before) expect(before.text.endsWith(passage.text.slice(0, sentence(i).length))).toBe(true);
    });
    expect(passages.at(-1)!.end).toBe(text.length);
  });

  it('joins what is too small to stand alone, never across a heading', () => {
    const text = 'Note\n\nA pump moves water from one place to another place.\n\nEnd.\n';
    expect(split(plain(text)).map((passage) => passage.text)).toEqual([text.trim()]);
    const parted = markdown('# A\n\n## B\n\nOne.\n\n## C\n\nTwo.\n');
    expect(split(parted).map(({ title, text: own }) => [title, own])).toEqual([
      ['A > B', 'One.'],
      ['A > C', 'Two.'],
    ]);
  });

  it('keeps a list with the line that announces it', () => {
    const text = 'These are the parts that you will need for it:\n\n- pump\n- hose\n- valve\n';
    expect(split(plain(text))).toMatchObject([{ text: text.trim() }]);
  });

  it('gives rows below the header of a long table the header in their title', () => {
    const rows = Array.from({ length: 12 }, (_, i) => `| row ${i} | ${i} |`).join('\n');
    const passages = split(markdown(`# Doc\n\n| name | size |\n|---|---|\n${rows}\n`));
    expect(passages.length).toBeGreaterThan(2);
    expect(passages[0]).toMatchObject({ title: 'Doc' });
    expect(passages[0]!.text).toMatch(/^name \| size\n/);
    for (const passage of passages.slice(1)) {
      expect(passage.title).toBe('Doc > name | size');
      expect(passage.text).toMatch(/^row /);
      expect(passage.genre).toBe('table');
    }
  });

  it('makes each record of a table a passage of its own, however small', () => {
    const text = 'name,size\nhose,3\npump,4\n"valve\nlarge",5\n';
    const passages = split({ ...plain(text), ...csvBlocks(text, false) }, 220);
    expect(passages.map(({ title, text: own }) => [title, own])).toEqual([
      ['T > name | size', 'hose,3'],
      ['T > name | size', 'pump,4'],
      ['T > name | size', '"valve\nlarge",5'],
    ]);
  });

  it('cuts a megabyte without a space, and a megabyte of emoji, into pieces of bounded size', () => {
    for (const text of ['x'.repeat(1_000_000), '👩‍👩‍👧'.repeat(120_000)]) {
      const passages = splitDocument(plain(text), { maxTokens: 220, countTokens: () => 1 });
      expect(passages.map((passage) => passage.text).join('')).toBe(text);
      for (const passage of passages) {
        expect(passage.text.length).toBeLessThanOrEqual(220 * 12);
        expect(passage.text).not.toMatch(/\p{Cs}/u);
      }
    }
  });

  it('makes each entry of a definition list a passage under its term, tiny ones together', () => {
    const entry = (term: string) => `<dt>${term}<dd>Keeps all files that were there before.`;
    const list = `<h2>Options</h2><dl><dt>-q${entry('--quiet')}${entry('--force')}<dt>0<dd>fine<dt>1<dd>not fine</dl>`;
    const passages = split(html(list));
    expect(passages.map(({ title, text, genre }) => [title, text, genre])).toEqual([
      ['T > Options > -q, --quiet', '-q\n--quiet: Keeps all files that were there before.', 'definition'],
      ['T > Options > --force', '--force: Keeps all files that were there before.', 'definition'],
      ['T > Options', '0: fine\n\n1: not fine', 'definition'],
    ]);
  });

  it('keeps the term over all pieces of a long entry, and gives entries within it their own', () => {
    const words = Array.from({ length: 30 }, (_, i) => `Sentence ${i} is about it.`).join(' ');
    const inner = '<dl><dt>--deep<dd>A setting that holds for all of the trees below it and no others.</dl>';
    const passages = split(html(`<dl><dt>tool<dd><p>${words}</p>${inner}<p>Last words.</p></dl>`));
    const titles = [...new Set(passages.map(({ title }) => title))];
    expect(titles).toEqual(['T > tool', 'T > tool > --deep']);
    for (const { text } of passages) expect(countWords(text)).toBeLessThanOrEqual(20);
    expect(passages.at(-1)!.text).toBe('Last words.');
  });

  it.each<[string, string, number]>([
    [
      'ten thousand entries',
      '<dl>'.concat('<dt>term<dd>what it is, said in a few words more than needed'.repeat(10_000)),
      10_000,
    ],
    ['a definition of 40 kB', `<dl><dt>term<dd>${'A sentence of the definition. '.repeat(1400)}`, 300],
    ['one enormous list', `<ul>${'<li>An item of it.'.repeat(10_000)}`, 1000],
    ['lists in lists', '<ul><li>x'.repeat(3000), 100],
    ['entries in entries', '<dl><dt>term<dd>what'.repeat(3000), 100],
    ['terms alone', `<dl>${'<dt>term'.repeat(10_000)}`, 500],
    ['descriptions alone', `<dl>${'<dd>word'.repeat(10_000)}`, 500],
  ])('cuts %s into passages that lose nothing', (_, text, least) => {
    const document = html(text);
    const passages = split(document);
    expect(passages.length).toBeGreaterThanOrEqual(least);
    let at = 0;
    for (const passage of passages) {
      expect(document.text.slice(at, passage.start)).not.toMatch(/[a-z]/i);
      expect(countWords(passage.text)).toBeLessThanOrEqual(20);
      at = passage.end;
    }
    expect(document.text.slice(at)).not.toMatch(/[a-z]/i);
  });

  it('joins a line in bold to what it is the title of', () => {
    const text = 'A pump moves water from one low place to another place that is higher.';
    const passages = split(html(`<p>${text}</p><p><b>Care</b></p><p>${text}</p>`));
    expect(passages.map((passage) => passage.text)).toEqual([text, `Care\n\n${text}`]);
  });

  it('makes nothing of what holds nothing to read', () => {
    expect(split(plain('----\n\n ***** \n'))).toEqual([]);
    expect(split(plain('🙂'))).toHaveLength(1);
  });

  it('keeps offsets exact, passages within blocks and limits, and every word, whatever the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.lorem({ mode: 'sentences', maxCount: 6 }),
      fc.constantFrom(
        '\n\n',
        '\r\n',
        '- a\n- b\n',
        '# H\n',
        '## I\n\n',
        '| a | b |\n|-|-|\n| 1 | 2 |\n',
        '```\n',
        '\ud83d',
        '\u0000',
        '> ',
        '1. ',
        '__proto__ ',
        '\u200b',
        '\t',
        'Title\n=====\n',
        'y'.repeat(700),
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), (pieces, asMarkdown) => {
        const document = asMarkdown ? markdown(pieces.join('')) : plain(pieces.join(''));
        const passages = split(document);
        const covered = new Uint8Array(document.text.length);
        let at = 0;
        passages.forEach((passage, i) => {
          expect(passage.text).toBe(document.text.slice(passage.start, passage.end));
          expect(passage.passageId).toBe(`d#${i}`);
          expect(passage.start).toBeGreaterThanOrEqual(at);
          expect(passage.position).toMatch(/^\d+:\d+$/);
          expect(passage.text.length).toBeLessThanOrEqual(20 * 100 + 2);
          at = passage.start;
          covered.fill(1, passage.start, passage.end);
        });
        for (const block of document.blocks) {
          const lost = [...document.text.slice(block.start, block.end)].filter(
            (char, i) => /[a-z]/i.test(char) && covered[block.start + i] === 0,
          );
          if (!/[^\p{ASCII}]/u.test(document.text)) expect(lost).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });
});
