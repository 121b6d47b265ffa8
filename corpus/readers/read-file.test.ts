import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { docx, paragraph, pdf } from '../testing/documents.ts';
import { Scratch } from '../testing/support.ts';
import type { Failure, SourceDocument } from '../types.ts';
import { readDocuments } from './read-file.ts';
import { findFiles } from './walk.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

async function read(name: string, content: string | Uint8Array): Promise<(SourceDocument | Failure)[]> {
  const dir = scratch.folder({ [name]: content });
  const { files } = findFiles([join(dir, name)], '');
  const items: (SourceDocument | Failure)[] = [];
  for (const file of files) for await (const item of readDocuments(file)) items.push(item);
  return items;
}

/** The one document of a file, with the text of its blocks. */
async function document(name: string, content: string | Uint8Array) {
  const items = await read(name, content);
  expect(items).toHaveLength(1);
  const [item] = items;
  if (item === undefined || 'reason' in item) throw new Error(`not read: ${JSON.stringify(item)}`);
  const blocks = item.blocks.map(({ start, end, headings, kind }) => [
    kind,
    item.text.slice(start, end),
    headings,
  ]);
  return { ...item, blocks, at: (text: string) => item.positionAt(item.text.indexOf(text)) };
}

async function failure(name: string, content: string | Uint8Array): Promise<Failure> {
  const [item] = await read(name, content);
  if (item === undefined || !('reason' in item)) throw new Error('was read');
  return item;
}

describe('encodings', () => {
  it.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from('Käse 🙂'), 'Käse 🙂'],
    ['UTF-8 with a mark', Buffer.from('\ufeffKäse'), 'Käse'],
    ['UTF-16 little-endian', Buffer.from('\ufeffKäse', 'utf16le'), 'Käse'],
    ['UTF-16 big-endian', Buffer.from('\ufeffKäse', 'utf16le').swap16(), 'Käse'],
    ['Latin-1', Buffer.from('Käse und Brötchen', 'latin1'), 'Käse und Brötchen'],
    [
      'damaged UTF-8',
      Buffer.concat([Buffer.from('äöü äöü '), Buffer.from([0xff]), Buffer.from(' ß')]),
      'äöü äöü \ufffd ß',
    ],
    ['a few NULs', Buffer.from('a\0b, and no more of that'), 'a\0b, and no more of that'],
  ])('%s', async (_, bytes, text) => {
    expect((await document('a.txt', bytes)).text).toBe(text);
  });

  it.each<[string, Uint8Array, string]>([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xff, 0xd8, 0, 1, 2, 3]), 'is not text'],
    ['UTF-16 without a mark', Buffer.from('A longer text', 'utf16le'), 'is not text, or UTF-16 without'],
    ['controls', Buffer.from('\x01\x02\x03\x04'.repeat(10)), 'is not text'],
    ['nothing', Buffer.alloc(0), 'is empty'],
  ])('refuses %s', async (_, bytes, reason) => {
    const failed = await failure('a.txt', bytes);
    expect(failed).toMatchObject({ name: 'a.txt', code: 'UNREADABLE_DOCUMENT' });
    expect(failed.reason).toContain(reason);
  });
});

describe('txt', () => {
  it('finds paragraphs, lists and underlined headings, whatever ends a line', async () => {
    const text = 'Intro text.\r\nSecond line.\r\n\r\nParts\r\n=====\r\n\r\n- one\r\n- two\r\n';
    const read = await document('some_notes.txt', text);
    expect(read).toMatchObject({ title: 'some notes', docId: 'some_notes.txt', text });
    expect(read.blocks).toEqual([
      ['prose', 'Intro text.\r\nSecond line.', []],
      ['list', '- one\r\n- two', ['Parts']],
    ]);
    expect(read.at('- two')).toBe('8:1');
    expect(read.at('Second')).toBe('2:1');
  });

  it('tells a term and what is set in below it, where a text has several, and neither code nor sentences', async () => {
    const text =
      'Options\n```````\n\nwall.port\n  port to listen on\n\n    wall.port = 80\n\n\tDefault: 80\n\n--tag NAME\n  what it is called\n\n' +
      'Said in one line that goes\n  on in the next.\n\nif (a) {\n  b();\n  c();\n\nFor example:\n  wall.tag = x\n\n- wall.item\n  of a list\n\nbrick\n    one\n    of many\n';
    const { blocks, parts } = await document('wall.txt', text);
    expect(blocks).toEqual([
      [
        'prose',
        'wall.port\n  port to listen on\n\n    wall.port = 80\n\n\tDefault: 80',
        ['Options', 'wall.port'],
      ],
      ['prose', '--tag NAME\n  what it is called', ['Options', '--tag NAME']],
      ['prose', 'Said in one line that goes\n  on in the next.', ['Options']],
      ['prose', 'if (a) {\n  b();\n  c();', ['Options']],
      ['prose', 'For example:\n  wall.tag = x', ['Options']],
      ['prose', '- wall.item\n  of a list', ['Options']],
      ['prose', 'brick\n    one\n    of many', ['Options', 'brick']],
    ]);
    const terms = parts.filter(({ kind }) => kind === 'term' || kind === 'description');
    expect(terms.map(({ kind, term, list, position }) => [kind, term, list, position])).toEqual([
      ['term', 'wall.port', 1, 1],
      ['description', 'wall.port', 1, 1],
      ['term', '--tag NAME', 1, 2],
      ['description', '--tag NAME', 1, 2],
      ['term', 'brick', 2, 1],
      ['description', 'brick', 2, 1],
    ]);
    expect(text.slice(terms[1]!.start, terms[1]!.end)).toMatch(/^port to listen on.*Default: 80$/s);
    const page =
      'NAME\n  wall - builds\n\nDESCRIPTION\n  It builds a wall of bricks.\n\n  Slowly.\n\nOPTIONS\n  --dry-run\n    builds nothing\n\n  --force\n    builds at once\n\n' +
      '  -q, --quiet\n    says nothing\n\n    or little\n\nBUGS\n  None.\n';
    const manual = await document('wall.1.txt', page);
    expect(manual.blocks).toEqual([
      ['prose', 'wall - builds', ['NAME']],
      ['prose', 'It builds a wall of bricks.', ['DESCRIPTION']],
      ['prose', 'Slowly.', ['DESCRIPTION']],
      ['prose', '--dry-run\n    builds nothing', ['OPTIONS', '--dry-run']],
      ['prose', '--force\n    builds at once', ['OPTIONS', '--force']],
      ['prose', '-q, --quiet\n    says nothing\n\n    or little', ['OPTIONS', '-q, --quiet']],
      ['prose', 'None.', ['BUGS']],
    ]);
    const two = await document('two.txt', 'a.b\n  of a\n\nc.d\n  of c\n');
    expect(two.blocks).toEqual([
      ['prose', 'a.b\n  of a', []],
      ['prose', 'c.d\n  of c', []],
    ]);
  });

  it('takes neither letters, plays nor steps for entries, and code between back quotes for no heading', async () => {
    const letters = 'Dear all\n  I am well.\n\nBest regards\n  Ann\n\nKind wishes\n  Bo\n\n';
    const play =
      'HAMLET\n  To be.\n\nGHOST\n  Mark me.\n\nHAMLET\n  I will.\n\nGHOST\n  So.\n\nCLOWN\n  Ha.\n\nHAMLET\n  Oh.\n\n';
    const steps = 'Step 1\n  Open it.\n\nStep 2\n  Look in.\n\nStep 3\n  Close it.\n\n';
    const code = 'Run this first\n```\nnpm ci\n```\n\nThen it works.\n';
    for (const text of [letters, play, steps, code]) {
      const { blocks } = await document('plain.txt', text);
      expect(blocks.filter(([, , headings]) => headings!.length > 0)).toEqual([]);
    }
  });

  it('of wikis have headings between signs, the name of the page first', async () => {
    const page = `Content-Type: text/x-zim-wiki
Wiki-Format: zim 0.6

====== Questions ======

===== How do I add a page? =====
Link to it.
==== With a name ====
Give it one.

===== Where is it? =====
In a folder. 1 == 1 == true

===== Nothing =====
`;
    const { title, blocks, parts, text } = await document('faq.txt', page);
    expect(title).toBe('Questions');
    expect(blocks).toEqual([
      ['prose', 'Link to it.', ['How do I add a page?']],
      ['prose', 'Give it one.', ['How do I add a page?', 'With a name']],
      ['prose', 'In a folder. 1 == 1 == true', ['Where is it?']],
    ]);
    const headings = parts.filter(({ kind }) => kind === 'heading');
    expect(headings.map(({ start, end, depth }) => [text.slice(start, end), depth])).toEqual([
      ['Questions', 0],
      ['How do I add a page?', 0],
      ['With a name', 1],
      ['Where is it?', 0],
      ['Nothing', 0],
    ]);
    const wiki = 'Intro.\n\n== Use ==\n=== Start ===\nRun it.\n\n=== End ===\nKill it.\n\n== Files ==\nNone.';
    expect((await document('wiki.txt', wiki)).blocks).toEqual([
      ['prose', 'Intro.', []],
      ['prose', 'Run it.', ['Use', 'Start']],
      ['prose', 'Kill it.', ['Use', 'End']],
      ['prose', 'None.', ['Files']],
    ]);
  });

  it('of questions and answers have the questions for headings, and long ones as text', async () => {
    const long = `Why ${'so '.repeat(80)}long?`;
    const faq = `About.

Q: Why is it
   slow?

A: It waits.

   Wait too.

Q2: Is it safe?
A2: Yes.

Question 3: ${long}

Answer 3: Who knows.

Q: This is no question, for nobody says so.`;
    expect((await document('faq.txt', faq)).blocks).toEqual([
      ['prose', 'About.', []],
      ['prose', 'It waits.', ['Why is it slow?']],
      ['prose', 'Wait too.', ['Why is it slow?']],
      ['prose', 'Yes.', ['Is it safe?']],
      ['prose', `Question 3: ${long}`, []],
      ['prose', 'Who knows.', []],
    ]);
    expect((await document('q.txt', 'Q: Why?\n\nA: So.')).blocks.map(([, text]) => text)).toEqual([
      'Q: Why?',
      'A: So.',
    ]);
  });

  it('of a paragraph of very many lines are read', async () => {
    const log = Array.from({ length: 150_000 }, (_, i) => `${i} ok`).join('\n');
    expect((await document('run.txt', log)).blocks).toHaveLength(1);
  });
});

describe('md', () => {
  it('keeps headings, tables, lists and code apart, without their marks', async () => {
    const text =
      '---\ntitle: "The Guide"\nanchor: &a [*a]\n---\n# Top\n\nSome *text*\nhere.\n\n## Part [A](http://x) `b`\n\n' +
      '| n | v |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n```js\n# no heading\n```\n\n## Alone\n\n## Last\n\n1. one\n2. two\n';
    const read = await document('g.md', text);
    expect(read.title).toBe('The Guide');
    expect(read.blocks).toEqual([
      ['prose', 'Some text\nhere.', ['Top']],
      ['table', 'n | v\n1 | 2', ['Top', 'Part A b']],
      ['prose', 'quoted', ['Top', 'Part A b']],
      ['code', '# no heading', ['Top', 'Part A b']],
      ['prose', 'Alone', ['Top']],
      ['list', '1. one\n2. two', ['Top', 'Last']],
    ]);
  });

  it('reads what is shown: no anchors, targets of links, escapes or marks, each at its place in the file', async () => {
    const text = [
      '# The *hose* <a id="hose"></a>',
      'A **[hose][h] of `max\\_len`** is <kbd>cut</kbd> at 5 &lt; 6 with <host>.<br>See [the *list*](list.md "all") or <http://a.b/c_d>.[^1]',
      '[h]: hose.md',
      '| Name \\| id | **Said** |\n| :-- | --- |\n| max\\_len | **Optional.** A [Number](n.md). |',
      '- __min\\_len__ : none\n- `-q`, `--quiet`: says less\n- `run` it',
      '<details><summary>More</summary>It is <b>red</b>.</details>',
      '![picture](p.png)',
      'snake_case_name, 2 * 3 * 4, \\*bare\\*, a ~~b~~ c\\\nd',
      '## ![Plan](plan.png) B #',
    ].join('\n\n');
    const read = await document('a.md', text);
    expect(read.title).toBe('The hose');
    expect(read.blocks).toEqual([
      ['prose', 'A hose of max\\_len is cut at 5 < 6 with <host>. See the list or http://a.b/c_d.[^1]', []],
      ['table', 'Name | id | Said\nmax_len | Optional. A Number.', []],
      ['list', '- min_len : none\n- -q, --quiet: says less\n- run it', []],
      ['prose', '  More It is red. ', []],
      ['prose', 'snake_case_name, 2 * 3 * 4, *bare*, a b c\nd', []],
      ['prose', 'Plan B', []],
    ]);
    expect(read.parts.flatMap(({ term }) => term ?? [])).toEqual(['max_len', 'min_len', '-q, --quiet']);
    const places = ['hose of', 'cut', 'list or', 'Number', 'red'].map((word) => read.at(word));
    expect(places).toEqual(['3:6', '3:39', '3:87', '9:31', '15:42']);
  });

  it('reads boxes and quotations without what they are set in', async () => {
    const text =
      'One.\n\n!!! tip\n\n    Use [it](x.md).\n\n    - a\n    - b\n\n!!! danger "Mind &amp; body"\n    Hot.\n\tVery.\n\nTwo.\n\n' +
      '> Said &amp;\n> **done**\n> > by\n>\n> ```\n> x > y\n> ```\n\n```\n!!! note\n    kept\n```\n\n!!! no box\n\nThree.\n';
    const read = await document('a.md', text);
    expect(read.blocks.map(([kind, said]) => [kind, said])).toEqual([
      ['prose', 'One.'],
      ['prose', 'Use it.'],
      ['list', '- a\n- b'],
      ['prose', 'Mind & body\nHot.\nVery.'],
      ['prose', 'Two.'],
      ['prose', 'Said &\ndone\nby\n\nx > y'],
      ['code', '!!! note\n    kept'],
      ['prose', '!!! no box'],
      ['prose', 'Three.'],
    ]);
    expect(read.parts.filter(({ kind }) => kind === 'item')).toHaveLength(2);
    const places = ['Use it', 'Very', 'done', 'x > y'].map((word) => read.at(word));
    expect(places).toEqual(['5:5', '12:2', '17:5', '21:3']);
  });

  it.each([
    ['> [!WARNING]\n> It is hot.\n', ['It is hot.']],
    [':::tip Mind this\n\nIt is hot.\n\n:::\n', ['Mind this', 'It is hot.']],
    ['::: {.warning}\nIt is hot.\n:::\n', ['It is hot.']],
    ['{{< note >}} It is hot. {{< /note >}}\n', [' It is hot. ']],
    ['```\n:::tip\n{{< note >}}\n```\n', [':::tip\n{{< note >}}']],
  ])('reads a box as what is in it: %j', async (text, wanted) => {
    const { blocks } = await document('a.md', text);
    expect(blocks.map(([, said]) => (said as string).replace(/^\n/, '').trimEnd())).toEqual(
      wanted.map((said) => said.trimEnd()),
    );
  });

  it.each([
    [
      'a path',
      String.raw`\\\\server\\share and C:\\.config and \\\*`,
      [String.raw`\\server\share and C:\.config and \*`],
    ],
    ['code with ">" in a quotation', '> ```python\n> >>> print(1)\n> ```\n', ['>>> print(1)']],
    ['a quotation in a list in one', '> - > x\n>   > y\n', ['- x\ny']],
    [
      'code in a box',
      '!!! note\n    ```sh\n    a=1\n\n    # comment __x__\n    ```\n',
      ['a=1\n\n# comment __x__'],
    ],
    [
      'indented code in a box',
      '!!! note\n    Text.\n\n        def __init__(self):\n',
      ['Text.', 'def __init__(self):'],
    ],
    ['a box in a box', '!!! note\n    !!! tip "In"\n        inner\n', ['In\ninner']],
    [
      'a comment in a list',
      '1. a\n\n    <!-- secret -->\n\n    b <span hidden>evil</span>\n',
      ['1. a\n\n\n\n    b'],
    ],
    [
      'hidden text behind escaped back ticks',
      '\\` <span style="display:none">evil</span> \\` x\n',
      ['` ` x'],
    ],
    ['a picture by reference', '![secret words][x] hi\n\n[x]: a.png\n', ['hi']],
    ['a picture with brackets', '![a [b] secret](x.png) hi\n', ['hi']],
    ['a bar in code in a table', '| a | b |\n|---|---|\n| `x \\| y` | d |\n', ['a | b\nx | y | d']],
    [
      'a definition behind a name',
      '**--foo**\n\ntext\n\n**--bar**\n\n[bar]: http://x\n',
      ['--foo\n\ntext', '--bar'],
    ],
    [
      'commands between sentences',
      '`make`\n\nThen run\n\n`pytest`\n\nto test.\n',
      ['make', 'Then run', 'pytest', 'to test.'],
    ],
    ['back ticks as code', 'Use `` ` `` here.\n', ['Use ` here.']],
    ['a line that begins with code', '```inline``` code *x*\n\nMore.\n', ['inline code x', 'More.']],
    ['code that nothing closes', '```\na\n```b\n', ['a\n```b']],
    ['code in a list', '1. Do\n\n   ```yaml\n   a:\n     b: 1\n   ```\n', ['1. Do\n\n   a:\n     b: 1']],
    ['references in HTML', '<p>a &lt;b&gt; &amp; c</p>\n', ['a <b> & c']],
    ['a mark in an attribute', 'x <a href="a>b">link</a> y\n', ['x link y']],
    ['attributes of a heading', '## Install {#install}\n', ['Install {#install}']],
    ['a note', 'See.[^1]\n\n[^1]: Below.\n', ['See.', 'Below.']],
  ])('reads %s', async (_, text, wanted) => {
    const { blocks } = await document('a.md', text);
    // What is left out may leave blanks.
    const plain = (said: string) =>
      said
        .replace(/(?<=\S) +/g, ' ')
        .replace(/ +$/gm, '')
        .trim();
    expect(blocks.map(([, said]) => plain(said as string))).toEqual(wanted);
  });

  it('has every line at its place, whatever is decoded in it', async () => {
    const read = await document('a.md', 'first\nsecond &amp; line\nthird &lt; _a_ b\nfourth line\n');
    expect(['second', 'line', 'third', 'b', 'fourth'].map((word) => read.at(word))).toEqual([
      '2:1',
      '2:14',
      '3:1',
      '3:16',
      '4:1',
    ]);
    const entry = await document('b.md', 'Term\n: A &amp; b\n');
    expect(entry.parts.map(({ kind, start, end }) => [kind, entry.text.slice(start, end)])).toEqual([
      ['term', 'Term'],
      ['description', 'A & b'],
    ]);
  });

  it.each([
    ['escapes', '\\*'.repeat(200_000)],
    ['tags', '<b>'.repeat(300_000)],
    ['emphasis within emphasis', `${'*a _b '.repeat(1_000)}${'b_ a*'.repeat(1_000)}`],
    ['quotations within quotations', `${'> '.repeat(39)}x\n`.repeat(2_000)],
  ])('gets through a line of %s', async (_, text) => {
    const { blocks } = await document('a.md', `# Title\n\n${text}\n\nword\n`);
    expect(blocks.at(-1)![1]).toContain('word');
  });

  it('takes names that stand alone above what describes them for entries, as manual pages in Markdown have them', async () => {
    const text =
      '# kettle-boil "1" "May 2020" "kettle"\n\n## OPTIONS\n\n**--all**, **-a**\n\nBoils it all.\n\n    kettle boil -a\n\n**--limit** *degrees*\n\n' +
      'Stops there.\n\nElse it goes on.\n\n`KETTLE_DIR`\n\n`KETTLE_HOME`\n\nWhere it is.\n\n## SEE ALSO\n\n**kettle(1)**\n\n' +
      '## Use\n\n**First steps**\n\nFill it.\n\n**--quiet**\nNo beep.\n\n## More\n\n**Go on.**\n\nAlways.\n\n`kettle boil water`\n\nThat boils.\n\n`kettle stop`\n\nThat stops.\n';
    const { title, blocks, parts, text: read } = await document('kettle-boil.1.md', text);
    expect(title).toBe('kettle-boil(1)');
    expect(blocks.map(([, said, headings]) => [(headings as string[]).at(-1), said])).toEqual([
      ['--all, -a', '--all, -a\n\nBoils it all.\n\n    kettle boil -a'],
      ['--limit degrees', '--limit degrees\n\nStops there.\n\nElse it goes on.'],
      ['KETTLE_DIR, KETTLE_HOME', 'KETTLE_DIR\n\nKETTLE_HOME\n\nWhere it is.'],
      ['SEE ALSO', 'kettle(1)'],
      ['Use', 'First steps'],
      ['Use', 'Fill it.'],
      ['Use', '--quiet\nNo beep.'],
      ['More', 'Go on.'],
      ['More', 'Always.'],
      ['More', 'kettle boil water'],
      ['More', 'That boils.'],
      ['More', 'kettle stop'],
      ['More', 'That stops.'],
    ]);
    const named = parts.filter(({ term }) => term !== null);
    expect(named.map(({ kind, term, start, end }) => `${kind} ${term}: ${read.slice(start, end)}`)).toEqual([
      'term --all, -a: --all, -a',
      'description --all, -a: Boils it all.\n\n    kettle boil -a',
      'term --limit degrees: --limit degrees',
      'description --limit degrees: Stops there.\n\nElse it goes on.',
      'term KETTLE_DIR: KETTLE_DIR',
      'term KETTLE_HOME: KETTLE_HOME',
      'description KETTLE_DIR, KETTLE_HOME: Where it is.',
      'paragraph --quiet: --quiet\nNo beep.',
    ]);
  });

  it('knows a link by a definition that stands far from it', async () => {
    const far = `See [the list][L].\n\n${'A line of text.\n\n'.repeat(600)}[l]: list.md\n`;
    const { blocks } = await document('a.md', far);
    expect(blocks[0]![1]).toBe('See the list.');
    expect(blocks.at(-1)![1]).toBe('A line of text.');
  });

  it('takes a first heading for the title, and the name of the file where there is none', async () => {
    const read = await document('a.md', '\ufeff# Pumps\r\n\r\nText.\r\n');
    expect(read).toMatchObject({ title: 'Pumps', blocks: [['prose', 'Text.', []]] });
    expect((await document('my-file.md', 'Text.')).title).toBe('my file');
  });

  it('keeps a long table and long code what they are', async () => {
    const rows = Array.from({ length: 400 }, (_, i) => `| ${i} | x |`).join('\n');
    const code = `\`\`\`sh\n${'# a comment, no heading\n'.repeat(1000)}\`\`\``;
    const read = await document('a.md', `| n | v |\n|---|---|\n${rows}\n\n${code}\n\n# End\n\nText.\n`);
    const kinds = read.blocks.map(([kind]) => kind).join(' ');
    expect(kinds).toMatch(/^(table ){3}(code )+prose$/);
    expect(read.blocks.at(-1)).toEqual(['prose', 'Text.', ['End']]);
    const seen = read.blocks.map(([, text]) => text).join('\n');
    for (let i = 0; i < 400; i += 1) expect(seen).toContain(`\n${i} | x\n`);
  });

  it.each(['-'.repeat(100), '*'.repeat(100), '- '.repeat(60), '+'.repeat(100), `${' '.repeat(90)}deep code`])(
    'keeps the headings around "%s"',
    async (line) => {
      const { blocks } = await document(
        'a.md',
        `# Title\n\n## Top\n\nOne.\n\n${line}\n\n### Under\n\nTwo.\n`,
      );
      expect(blocks[0]).toEqual(['prose', 'One.', ['Top']]);
      expect(blocks.at(-1)).toEqual(['prose', 'Two.', ['Top', 'Under']]);
    },
  );

  it.each(['> ', '>', '- ', '* + ', '1. ', '> 2) '])(
    'takes no headings where "%s" goes deep',
    async (part) => {
      const { blocks } = await document('a.md', `# Title\n\n## Top\n\n${part.repeat(90)}word\n`);
      expect(new Set(blocks.flatMap(([, , headings]) => headings))).toEqual(new Set());
      expect(blocks.map(([, text]) => text).join('\n')).toContain('word');
    },
  );

  it('reads what is made to be slow', async () => {
    const hostile = ['>', '- ', '1. ', 'a\n=\n', '[', '`', 'a b\n', '- a\n', '|a|b|\n|-|-|\n'].map((part) =>
      part.repeat(10_000),
    );
    for (const text of hostile) expect(await read('a.md', `${text}word`)).toHaveLength(1);
  });
});

describe('html', () => {
  it('takes the text out, block by block, and leaves out what nobody sees', async () => {
    const read = await document(
      'p.html',
      `<!doctype html><title>A &amp; B</title><script>var x = 1;</script><style>p{}</style>
<nav><a>Home</a></nav><h1>Top</h1>
<p>First <b>bold</b>
text.</p><div hidden>secret</div>
<ul><li>one<li>two <ul><li>inner</ul></ul>
<table><tr><th>n</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table>
<h2>Code</h2><pre>  a
    b</pre><dl><dt>Term<dd>what it is</dl>tail`,
    );
    expect(read.title).toBe('A & B');
    expect(read.blocks).toEqual([
      ['prose', 'First bold text.', ['Top']],
      ['list', '- one\n- two\n  - inner', ['Top']],
      ['table', 'n | v\n1 | 2', ['Top']],
      ['code', '  a\n    b', ['Top', 'Code']],
      ['list', 'Term: what it is', ['Top', 'Code', 'Term']],
      ['prose', 'tail', ['Top', 'Code']],
    ]);
    expect(read.at('First bold')).toBe('3:4');
    expect(read.text).not.toMatch(/secret|Home|var x/);
  });

  it('tells terms, descriptions, items, rows and code apart', async () => {
    const { text, parts } = await document(
      'p.html',
      '<p><b>Mode</b>: how it runs.<dl><dt>-a<dt>--all<dd><p>Does all.<pre>x\n  y</pre><ul><li>one<li><b>Two</b> is <ol><li>in</ol></ul>' +
        '</dl><table><tr><th>Name<th>Size<tr><td>hose<td>3<tr><td><td>4</table><table><tr><td><td>-q<td>no sound</table><p><b>Note:</b> loud.',
    );
    const shown = parts.map(({ kind, start, end, depth, list, position, ordered, term }) =>
      [kind, depth, list, position, ordered ? 'ordered' : '', term, text.slice(start, end)].join(' | '),
    );
    expect(shown).toEqual([
      'paragraph | 0 |  |  |  | Mode | Mode: how it runs.',
      'term | 0 | 1 | 1 |  | -a | -a',
      'term | 0 | 1 | 1 |  | --all | --all',
      'description | 0 | 1 | 1 |  | -a, --all | Does all.\nx\n  y\n  - one\n  - Two is\n    1. in',
      'paragraph | 1 |  |  |  |  | Does all.',
      'code | 1 |  |  |  |  | x\n  y',
      'item | 1 | 2 | 1 |  |  | one',
      'item | 1 | 2 | 2 |  | Two | Two is\n    1. in',
      'paragraph | 2 |  |  |  | Two | Two is',
      'item | 2 | 3 | 1 | ordered |  | in',
      'row | 0 | 4 | 0 |  |  | Name | Size',
      'row | 0 | 4 | 1 |  | hose | hose | 3',
      'row | 0 | 4 | 2 |  |  | |  4',
      'row | 0 | 5 | 1 |  | -q | -q | no sound',
      'paragraph | 0 |  |  |  |  | Note: loud.',
    ]);
  });

  it('leaves out what leads around a site, and keeps links that say something', async () => {
    const link = (text: string, to = `${text}.html`) => `<a href="${to}">${text}</a>`;
    const { text, title } = await document(
      'p.html',
      `<title>Pumps</title><header>${link('Shop')}</header><div class="related" role="navigation">${link('modules')}</div>
<p>Next: ${link('Valves')}, Previous: ${link('Hoses')}, Up: ${link('Parts')} [${link('Contents')}]</p>
<aside><label for="a">Contents</label><div class="label">Index</div><input id="a" type="search"><nav></nav></aside>
<h1>Pumps<a class="headerlink" href="#pumps">¶</a></h1><div class="contents"><p>Contents</p><ul><li>${link('Start', '#s')}</ul></div>
<ul><li>${link('One', '#1')}<li>${link('Two', '#2')}<ul><li>${link('Three', '#3')}</ul></ul>
<p>A pump (see ${link('Water')}) moves.</p><p>It reads:</p><ul><li>${link('PNG')}<li>${link('JPEG')}<li>${link('GIF')}</ul>
<div id="contents"><p>All of the text of some pages stands in such a box, with ${link('one link')}.</p></div>
<article><footer>Said by a ${link('person')}.</footer></article>
<aside>An aside that says something.</aside><div class="relatedtopics"><p>Related Topics</p><p>${link('Valves, springs and hoses of all sizes')}</p></div>
<div class="footer-relations"><div>${link('Start')}</div><div>${link('Hoses')}</div></div>
<table class="navfooter"><tr><td>${link('Prev')}<td>${link('Next')}</table><footer>© Nobody ${link('Imprint')}</footer>`,
    );
    expect(title).toBe('Pumps');
    expect(text.replace(/\s+/g, ' ').trim()).toBe(
      'Pumps A pump (see Water) moves. It reads: - PNG - JPEG - GIF All of the text of some pages stands in such a box, ' +
        'with one link. Said by a person. An aside that says something.',
    );
  });

  it("leaves out a book's index, and a table of contents that a script would fill", async () => {
    const { text } = await document(
      'i.html',
      `<h1>Book</h1><div id="toc"><div id="toctitle">Table of Contents</div></div><p>About hoses.</p><div class="index"><h2>Index</h2>
<div class="indexdiv"><h3>H</h3><dl><dt>a long name of a setting, <a href="h.html">Hoses</a></dt><dt>pressure<dl><dt>of hoses, <a href="h.html">Hoses</a></dl></dl></div></div>
<div class="toc"><p>All of the text of some pages stands in such a box.</p></div>`,
    );
    expect(text.trim().split(/\s*\n\s*/)).toEqual([
      'Book',
      'About hoses.',
      'Index',
      'All of the text of some pages stands in such a box.',
    ]);
  });

  it('takes names on lines of their own in a term one by one', async () => {
    const { text, parts } = await document(
      'o.html',
      '<h1>tool</h1><dl><dt><tt>-n</tt><br><tt>--dont-detach</tt><dd>Stays.<dt>open(a,<br>b)<dd>Opens.<dt>last<br><dd>Ends.</dl>',
    );
    expect(parts.flatMap(({ kind, term }) => (kind === 'term' ? [term] : []))).toEqual([
      '-n, --dont-detach',
      'open(a, b)',
      'last',
    ]);
    expect(text).toContain('-n\n--dont-detach: Stays.');
  });

  it('knows a page of links alone', async () => {
    const rows = Array.from({ length: 100 }, (_, i) => `<li><a href="p${i}.html">Entry number ${i}</a>`).join(
      '',
    );
    expect(await document('i.html', `<h1>Index</h1><ul>${rows}</ul>`)).toMatchObject({ index: true });
    const more = `<p>${'A page with a paragraph of its own is none. '.repeat(3)}</p>`;
    expect((await document('i.html', `<h1>Index</h1>${more}<ul>${rows}</ul>`)).index).toBeUndefined();
  });

  it('takes a table, or a list, that holds the page for no table', async () => {
    const page = '<h2>Start</h2><p>Press it.</p><ol><li>One<li>Two</ol><h2>Stop</h2><p>Pull it.</p>';
    const rows = page.replace('<h2>Stop', '<tr><td><h2>Stop').replaceAll('h2>', 'b>');
    const nested = `<table><tr><td>Museum<tr><td><table><tr><td>${rows}</table></table>`;
    const kinds = (await document('t.html', nested)).blocks.map(([kind, text]) => `${kind} ${text}`);
    expect(kinds).toContain('list 1. One\n2. Two');
    expect(kinds.filter((kind) => kind.startsWith('table'))).toEqual([]);
    for (const all of [`<table><tr><td>${page}</table>`, `<ul><li>${page}</ul>`, `<b><i><p>${page}</b>`]) {
      expect((await document('t.html', all)).blocks).toEqual([
        ['prose', 'Press it.', ['Start']],
        ['list', '1. One\n2. Two', ['Start']],
        ['prose', 'Pull it.', ['Stop']],
      ]);
    }
  });

  it('keeps every word, and parts in order and in bounds, however a page is built', async () => {
    const tags = 'p div b pre h2 h4 ul ol li dl dt dd table tr td th thead section blockquote br'.split(' ');
    const piece = fc.oneof(
      fc.constantFrom(...tags).map((tag) => `<${tag}>`),
      fc.constantFrom(...tags).map((tag) => `</${tag}>`),
      fc.nat(999).map((n) => `word${n} `),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const words = pieces.filter((one) => one.startsWith('word')).map((one) => one.trim());
        const [item] = await read('p.html', `<body>${pieces.join('')}`);
        if (item === undefined || 'reason' in item) throw new Error('not read');
        const { text, blocks, parts } = item;
        const held = blocks.map(({ start, end }) => text.slice(start, end)).join(' ');
        const known = new Set(
          `${held} ${blocks.flatMap(({ headings }) => headings).join(' ')}`.match(/word\d+/g),
        );
        expect(words.filter((word) => !known.has(word))).toEqual([]);
        parts.forEach(({ start, end }, i) => {
          expect(start).toBeGreaterThanOrEqual(parts[i - 1]?.start ?? 0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(text.slice(start, end)).toMatch(/\S$/);
        });
      }),
      {
        numRuns: 150,
        examples: [
          [['<h4>', '<ul>', '<li>']],
          [['word0 ', '<h4>', '<ul>', '<li>']],
          [['<dl>', 'word0 ', '<h4>', '<dd>']],
          [['<h2>', '<ul>', '<li>', 'word0 ']],
        ],
      },
    );
  });

  it('believes the encoding that a page declares, and minds no nesting', async () => {
    const latin = Buffer.from('<meta charset="iso-8859-2"><p>Gda\xf1sk</p>', 'latin1');
    expect((await document('l.html', latin)).text).toContain('Gdańsk');
    expect((await document('deep.html', `${'<div>'.repeat(100_000)}deep`)).blocks).toEqual([
      ['prose', 'deep', []],
    ]);
  });
});

describe('the title of a box', () => {
  it.each([
    ['a.md', '# Pumps\n\n## Care\n\n### Oil\n\nOnce a year.\n\n### Warning:\n\nIt burns.\n\nAnd smells.\n'],
    [
      'a.html',
      '<h1>Pumps</h1><h2>Care</h2><h3>Oil</h3><p>Once a year.</p><div class="w"><h3>Warning:</h3><p>It burns.</p></div><p>And smells.</p>',
    ],
  ])('is text of the section around it: %s', async (name, content) => {
    const read = await document(name, content);
    expect(read.blocks.map(([, text, headings]) => [text, headings])).toEqual([
      ['Once a year.', ['Care', 'Oil']],
      ['Warning:', ['Care', 'Oil']],
      ['It burns.', ['Care', 'Oil']],
      ['And smells.', ['Care', 'Oil']],
    ]);
    expect(read.parts.filter(({ kind }) => kind === 'heading')).toHaveLength(3);
  });

  it('is none where it says more', async () => {
    const read = await document('a.md', '# Pumps\n\n## Warning signs\n\nSmoke.\n\n## Notes\n\nNone.\n');
    expect(read.blocks.map(([, , headings]) => headings)).toEqual([['Warning signs'], ['Notes']]);
  });
});

describe('pdf', () => {
  it('takes what stands below the title of a box to the section around it', async () => {
    const said = Array.from({ length: 4 }, (_, i) => ({
      text: `Line ${i} of a long chapter.`,
      y: 600 - 60 * i,
    }));
    const page = [{ text: 'Care', size: 24, y: 740 }, { text: 'WARNING', size: 20, y: 680 }, ...said];
    const { blocks } = await document('m.pdf', pdf([page], { title: 'Manual' }));
    expect(blocks.map(([, , headings]) => headings)).toEqual(blocks.map(() => ['Care']));
    expect(blocks[0]).toEqual(['prose', 'WARNING', ['Care']]);
  });

  it('reads pages, paragraphs and headings', async () => {
    const file = pdf(
      [
        [
          { text: 'Pumps', size: 24, y: 740 },
          { text: 'A pump moves water from a low place to an exam-', y: 700 },
          { text: 'ple of a high one.', y: 686 },
          { text: 'A new paragraph.', y: 630 },
        ],
        [{ text: 'On the second page.', y: 700 }],
      ],
      { title: 'Manual' },
    );
    const read = await document('m.pdf', file);
    expect(read.title).toBe('Manual');
    expect(read.blocks).toEqual([
      ['prose', 'A pump moves water from a low place to an example of a high one.', ['Pumps']],
      ['prose', 'A new paragraph.', ['Pumps']],
      ['prose', 'On the second page.', ['Pumps']],
    ]);
    expect([read.at('A new'), read.at('On the')]).toEqual(['p. 1', 'p. 2']);
  });

  it('leaves out what runs along pages and tables of contents, and nothing else', async () => {
    const page = (number: number) => [
      { text: number > 3 ? `Chapter 2: Care ${number}` : `Chapter 1: Parts ${number}`, y: 780 },
      { text: `Pump number ${number * 7} moves water.`, y: 700 },
      { text: 'It has valves.', y: 650 },
      { text: `There are ${number} of them`, y: 600 },
      { text: `Valve ${number * 3} is red.`, y: 550 },
      { text: `Valve ${number * 5} is blue.`, y: 500 },
      { text: 'Draft of May', y: 20 },
    ];
    const contents = ['Parts', 'Care', 'Index'].map((text, i) => ({
      text: `${text} . . . . . . ${i + 2}`,
      y: 700 - i * 50,
    }));
    const pages = [[...contents, { text: 'Read on: ..... 4', y: 400 }], ...[1, 2, 3, 4, 5, 6].map(page)];
    const { text } = await document('m.pdf', pdf(pages, { title: 'Manual' }));
    for (const number of [1, 2, 3, 4, 5, 6]) {
      expect(text).toContain(`Pump number ${number * 7} moves water.`);
      expect(text).toContain(
        `There are ${number} of them\n\nValve ${number * 3} is red.\n\nValve ${number * 5} is blue.`,
      );
    }
    expect(text.match(/It has valves/g)).toHaveLength(6);
    expect(text).not.toMatch(/Chapter|Draft|Index|Parts/);
    const short = await document('s.pdf', pdf(pages.slice(1, 4)));
    expect(short.text).toMatch(/Chapter 1: Parts 1[\s\S]*Draft of May/);
  });

  it('leaves out headers that change with chapter and section, and no line that merely stands first', async () => {
    const section = (number: number) => `3.${Math.ceil(number / 2)} PART ${Math.ceil(number / 2)}`;
    const page = (number: number) => [
      {
        text: number === 5 ? 'Valves at length' : `CHAPTER 3. PUMPS ${section(number)}`,
        y: number === 5 ? 700 : 780,
      },
      { text: `Pump ${number * 7} moves water.`, y: 680 },
      { text: `It weighs ${number * 11} kilograms.`, y: 667 },
      { text: `Valve ${number * 3} is red.`, y: 60 },
    ];
    const { text } = await document('m.pdf', pdf([1, 2, 3, 4, 5, 6, 7, 8].map(page), { title: 'Manual' }));
    expect(text).not.toContain('CHAPTER');
    expect(text).toContain('Valves at length');
    for (const number of [1, 2, 5, 8]) {
      expect(text).toContain(`Pump ${number * 7} moves water.\nIt weighs ${number * 11} kilograms.`);
      expect(text).toContain(`Valve ${number * 3} is red.`);
    }
    const alone = await document('s.pdf', pdf([1, 5].map(page)));
    expect(alone.text).toContain('CHAPTER');
  });

  it.each<[string, Uint8Array, string]>([
    ['without text', pdf([[]]), 'holds no text, only pictures of it; scanned pages need OCR first'],
    ['with a password', pdf([[{ text: 'x', y: 1 }]], { encrypted: true }), 'is protected with a password'],
    ['that is none', Buffer.from('no pdf'), 'is not a PDF, or is damaged'],
    ['cut short', pdf([[{ text: 'x', y: 1 }]]).subarray(0, 60), 'is not a PDF, or is damaged'],
  ])('refuses one %s', async (_, bytes, reason) => {
    expect(await failure('m.pdf', bytes)).toEqual({ name: 'm.pdf', code: 'UNREADABLE_DOCUMENT', reason });
  });
});

describe('docx', () => {
  it('reads headings and paragraphs', async () => {
    const body = paragraph('Pumps', 'Heading1') + paragraph('A pump moves water.') + paragraph('It is loud.');
    const read = await document('m.docx', docx(body));
    expect(read.title).toBe('Pumps');
    expect(read.blocks).toEqual([
      ['prose', 'A pump moves water.', []],
      ['prose', 'It is loud.', []],
    ]);
    expect(read.at('It is')).toBe('block 3');
  });

  it.each<[string, Uint8Array, string]>([
    ['that is none', Buffer.from('no zip'), 'is not a Word document (.docx)'],
    [
      'with a password',
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]),
      'is protected with a password, or of the old',
    ],
    ['cut short', docx(paragraph('x')).subarray(0, 300), 'is not a Word document (.docx)'],
    ['that would not end', docx(paragraph('x'), 400_000_000), 'unpacks to more than 500 MB'],
    ['without text', docx(''), 'holds no text'],
  ])('refuses one %s', async (_, bytes, reason) => {
    const failed = await failure('m.docx', bytes);
    expect(failed.code).toBe('UNREADABLE_DOCUMENT');
    expect(failed.reason).toContain(reason);
  });
});

describe('csv', () => {
  it.each([
    [
      't.csv',
      'name,note\r\n"A, 1","line one\nline ""two"""\r\n\r\nÄß,🙂 x\r\nlast,',
      ['"A, 1","line one\nline ""two"""', 'Äß,🙂 x', 'last,'],
    ],
    ['t.csv', 'name;size\na;1\nb;2', ['a;1', 'b;2']],
    ['t.tsv', 'name\tsays\na\the said "no\nb\tyes', ['a\the said "no', 'b\tyes']],
    ['numbers.csv', '1,2\n3,4\n', ['1,2', '3,4']],
  ])('%s: one block a record, offsets exact: %j', async (name, text, rows) => {
    const read = await document(name, text);
    expect(read.blocks).toEqual(rows.map((row) => ['table', row, []]));
  });
});

describe('jsonl and SQuAD', () => {
  it('reads BEIR records and says which lines are none', async () => {
    const lines = [
      '{"_id":"__proto__","title":"T","text":"A text.\\n\\nMore.","metadata":{}}',
      '',
      '{"id":7,"text":"B"}',
      'not json',
      '{"_id":"c"}',
      '{"text":"no id"}',
      '{"_id":"d","title":"Only a title","text":" "}',
      '[1]',
    ];
    const items = await read('c.jsonl', `\ufeff${lines.join('\r\n')}`);
    const seen = items.map((item) =>
      'reason' in item
        ? `${item.name} ${item.reason}`
        : `${item.docId}|${item.title}|${item.text}|${item.source}|${item.positionAt(0)}`,
    );
    expect(seen).toEqual([
      '__proto__|T|A text.\n\nMore.|c.jsonl#__proto__|1:1',
      '7||B|c.jsonl#7|3:1',
      'c.jsonl:4 is not JSON',
      'c.jsonl:5 holds no text',
      'c.jsonl:6 has neither "_id" nor "id"',
      'd|Only a title|Only a title|c.jsonl#d|7:1',
      'c.jsonl:8 record: does not fit {_id, title, text}',
    ]);
  });

  it('reads SQuAD, gzipped too, and refuses other JSON', async () => {
    const squad = JSON.stringify({
      version: 'v2.0',
      data: [
        {
          title: 'Steam_engine',
          paragraphs: [
            { context: 'One.', qas: [] },
            { context: 'Two.', qas: [] },
          ],
        },
      ],
    });
    const items = (await read('s.json.gz', gzipSync(squad))) as SourceDocument[];
    expect(items.map(({ docId, title, source, text }) => [docId, title, source, text])).toEqual([
      ['Steam_engine#0', 'Steam engine', 's.json.gz#Steam_engine', 'One.'],
      ['Steam_engine#1', 'Steam engine', 's.json.gz#Steam_engine', 'Two.'],
    ]);
    expect(await read('c.jsonl.gz', gzipSync('{"_id":"a","text":"A"}\n'))).toMatchObject([
      { docId: 'a', text: 'A' },
    ]);
    expect((await failure('s.json', '{"a":1}')).reason).toContain('is not SQuAD JSON');
    expect((await failure('s.json', '{')).reason).toBe('is not JSON');
    expect((await failure('s.json.gz', 'not gzip')).reason).not.toBe('');
    expect((await failure('c.jsonl.gz', 'not gzip')).name).toBe('c.jsonl.gz');
  });
});

describe('findFiles', () => {
  it('goes through folders, passes over hidden ones and other kinds, and survives loops of links', () => {
    const dir = scratch.folder({
      'b/x.md': 'x',
      'b/__proto__.txt': 'x',
      'a.TXT': 'x',
      'pic.png': 'x',
      '.git/config.txt': 'x',
      'node_modules/m/readme.md': 'x',
      'old-index/CURRENT': 'pragaura.index/1 generation-000001\n',
      'old-index/generation-000001/passages.ndjson': '{}',
      'out/left.txt': 'x',
    });
    symlinkSync(dir, join(dir, 'b/loop'));
    symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling.txt'));
    symlinkSync(join(dir, 'a.TXT'), join(dir, 'link.txt'));
    const found = findFiles([join(dir, 'b'), dir], join(dir, 'out'));
    expect(found.files.map(({ name }) => name)).toEqual([
      'docs/a.TXT',
      'docs/b/__proto__.txt',
      'docs/b/x.md',
      'docs/link.txt',
    ]);
    expect(found).toMatchObject({ failures: [], skipped: 2 });
  });

  it('reads a file that was named as text, and takes one named twice once', () => {
    const dir = scratch.folder({ LICENSE: 'x', 'a.md': 'x' });
    const { files } = findFiles([join(dir, 'a.md'), join(dir, 'LICENSE'), dir], '');
    expect(files.map(({ name, format }) => [name, format])).toEqual([
      ['docs/a.md', 'md'],
      ['LICENSE', 'txt'],
    ]);
  });

  it('refuses a path that does not exist, by name', () => {
    const path = join(scratch.folder(), 'no-such-file');
    expect(() => findFiles([path], '')).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', message: `${path}: does not exist.` }),
    );
  });
});
