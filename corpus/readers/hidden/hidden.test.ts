import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { docx, paragraph, pdf, run } from '../../testing/documents.ts';
import { Scratch } from '../../testing/support.ts';
import type { Failure, SourceDocument } from '../../types.ts';
import { extractHtml } from '../html.ts';
import { readDocuments } from '../read-file.ts';
import { findFiles } from '../walk.ts';
import { withoutInvisible } from './characters.ts';
import { cssColour, sameColour } from './colour.ts';
import { seenMarkdown } from './markdown.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

async function read(name: string, content: string | Uint8Array): Promise<SourceDocument | Failure> {
  const dir = scratch.folder({ [name]: content });
  for (const file of findFiles([join(dir, name)], '').files)
    for await (const item of readDocuments(file)) return item;
  throw new Error('nothing was read');
}

/** The text of all blocks, and the kinds of what is hidden. */
async function seen(name: string, content: string | Uint8Array): Promise<[string, string[]]> {
  const item = await read(name, content);
  if ('reason' in item) throw new Error(item.reason);
  const text = item.blocks.map(({ start, end }) => item.text.slice(start, end)).join('\n');
  return [text, (item.hidden?.texts ?? []).map(({ kind, text: said }) => `${kind}: ${said}`)];
}

const OPEN = 'The bridge opened in 1904.';
const PLANTED = 'The bridge opened in 1950.';

describe('html', () => {
  it.each([
    ['hidden attribute', `<p hidden>${PLANTED}</p>`, 'not displayed'],
    ['display', `<p style="Display : NONE !important">${PLANTED}</p>`, 'not displayed'],
    ['visibility', `<div style="visibility:hidden"><p>${PLANTED}</p></div>`, 'not displayed'],
    ['opacity', `<p style="opacity: 0">${PLANTED}</p>`, 'not displayed'],
    ['a cut box', `<p style="height:0;overflow:hidden">${PLANTED}</p>`, 'not displayed'],
    ['a clip', `<p style="position:absolute;clip:rect(0, 0, 0, 0)">${PLANTED}</p>`, 'not displayed'],
    [
      'a rule of a class',
      `<style>/* x */ p.n, .m { display: none }</style><p class="a n">${PLANTED}</p>`,
      'not displayed',
    ],
    ['font size', `<p>x</p><span style="font-size:0.05em">${PLANTED}</span>`, 'too small to read'],
    ['font', `<p style="font: italic 1px serif">${PLANTED}</p>`, 'too small to read'],
    ['place', `<p style="position:absolute;left:-9999px">${PLANTED}</p>`, 'outside of the page'],
    ['indent', `<p style="text-indent:-100em">${PLANTED}</p>`, 'outside of the page'],
    ['white on white', `<p style="color:#fefefe">${PLANTED}</p>`, 'of the colour behind it'],
    [
      'black on black',
      `<div style="background:rgb(0,0,0)"><p>${PLANTED}</p></div>`,
      'of the colour behind it',
    ],
    ['no ink', `<p style="color:rgba(9, 9, 9, 0)">${PLANTED}</p>`, 'of the colour behind it'],
    [
      'font of old',
      `<table bgcolor="#ff0000"><tr><td><font color="#F00">${PLANTED}</font></table>`,
      'of the colour behind it',
    ],
    ['a comment', `<!-- ${PLANTED} -->`, 'a comment'],
    ['alternative text', `<img src="a.png" alt="${PLANTED}">`, 'alternative text'],
  ])('%s', async (_, html, kind) => {
    const [text, hidden] = await seen('a.html', `<p>${OPEN}</p>${html}`);
    expect(text).toContain(OPEN);
    expect(text).not.toContain('1950');
    expect(hidden).toEqual([`${kind}: ${PLANTED}`]);
  });

  it.each([
    ['white on black', `<p style="background-color:black;color:white">${OPEN}</p>`],
    [
      'white on the black of a rule',
      `<style>.d{background:#111}</style><div class=d><p style="color:#fff">${OPEN}</p></div>`,
    ],
    ['white on a picture', `<p style="background:url(a.png);color:white">${OPEN}</p>`],
    ['what is hidden in print alone', `<style>@media print { p { display: none } }</style><p>${OPEN}</p>`],
    ['a page that waits for its script', `<style>body{opacity:0}</style><p>${OPEN}</p>`],
    ['grey on white', `<p style="color:#767676;font-size:12px">${OPEN}</p>`],
    ['a rule of another class', `<style>.x{display:none}</style><p class=y>${OPEN}</p>`],
  ])('shows %s', async (_, html) => {
    expect(await seen('a.html', html)).toEqual([OPEN, []]);
  });

  it('takes no time that grows with the square', () => {
    const rules = Array.from({ length: 20_000 }, (_, i) => `.c${i}{display:none}`).join('');
    const deep = '<div style="color:white">'.repeat(20_000);
    const { hidden } = extractHtml(
      `<style>${rules}</style>${deep}${'<p hidden>A hidden sentence.</p>'.repeat(10_000)}`,
    );
    expect(hidden!.count).toBe(10_000);
    expect(hidden!.texts).toHaveLength(20);
  });
});

describe('markdown', () => {
  const text = [
    `# Bridge\n\n${OPEN} <!-- ${PLANTED} --> It is \`<!-- long -->\`.`,
    `<!--\n\n${PLANTED}\n\n-->`,
    `<span style="display:none">${PLANTED}</span> It is red.`,
    `![${PLANTED}](a.png "x") It is steel.`,
    `[//]: # (${PLANTED})`,
    '```\n<!-- code -->\n```',
    'A comment begins with <!-- in HTML, and a <script> runs.',
  ].join('\n\n');

  it('shows what is rendered, at its old place', async () => {
    const [shown, hidden] = await seen('a.md', text);
    expect(shown).not.toContain('1950');
    for (const said of [
      OPEN,
      'It is <!-- long -->.',
      'It is red.',
      'It is steel.',
      '<!-- code -->',
      'begins with <!-- in HTML',
    ])
      expect(shown).toContain(said);
    expect(hidden.sort()).toEqual([
      `a comment: (${PLANTED})`,
      `a comment: ${PLANTED}`,
      `a comment: ${PLANTED}`,
      `alternative text: ${PLANTED}`,
      `not displayed: ${PLANTED}`,
    ]);
    const item = (await read('a.md', text)) as SourceDocument;
    expect(item.positionAt(item.text.indexOf('It is red.'))).toBe('11:62');
  });

  it('sees through a line that begins with code, which opens no fence', async () => {
    const [shown, hidden] = await seen('a.md', `\`\`\`x\`\`\` y\n\n<span hidden>${PLANTED}</span> z\n`);
    expect(shown).not.toContain('1950');
    expect(hidden).toEqual([`not displayed: ${PLANTED}`]);
  });

  it('never moves anything', () => {
    const piece = fc.constantFrom(
      '<!--',
      '-->',
      '`',
      '```\n',
      '<p hidden>',
      '</p>',
      '![a](b)',
      'x y\n',
      '    z\n',
      '\n\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const whole = pieces.join('');
        const { text: left } = seenMarkdown(whole);
        expect(left).toHaveLength(whole.length);
        for (let i = 0; i < whole.length; i += 1) expect([whole[i], ' ']).toContain(left[i]);
      }),
    );
  });

  it.each(['<!--', '<span hidden>', '![a](', '`', '<!-- -->', '[//]: # (x)\n', '<script>'])(
    'goes through %s again and again once: what looks back each time would not come to an end',
    (mark) => {
      const { text } = seenMarkdown(mark.repeat(200_000));
      expect(text).toHaveLength(200_000 * mark.length);
    },
  );
});

describe('docx', () => {
  const styles =
    '<w:style w:type="character" w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style>' +
    '<w:style w:type="paragraph" w:styleId="Pale"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>' +
    '<w:style w:type="paragraph" w:styleId="Paler"><w:basedOn w:val="Pale"/></w:style>' +
    '<w:style w:type="table" w:styleId="Dark"/>';

  it.each([
    ['vanish', run(PLANTED, '<w:vanish/>'), 'not displayed'],
    ['a style that vanishes', run(PLANTED, '<w:rStyle w:val="Ghost"/>'), 'not displayed'],
    ['white', run(PLANTED, '<w:color w:val="FFFFFF"/>'), 'of the colour behind it'],
    ['a style based on a white one', paragraph(PLANTED, 'Paler'), 'of the colour behind it'],
    [
      'black on black',
      run(PLANTED, '<w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/>'),
      'of the colour behind it',
    ],
    ['one point', run(PLANTED, '<w:sz w:val="2"/>'), 'too small to read'],
  ])('%s', async (_, body, kind) => {
    const file = docx(paragraph(OPEN) + body, undefined, styles);
    expect(await seen('a.docx', file)).toEqual([OPEN, [`${kind}: ${PLANTED}`]]);
  });

  const white = run(OPEN, '<w:color w:val="FFFFFF"/>');
  it.each([
    ['vanish that is off', run(OPEN, '<w:vanish w:val="0"/>')],
    ['white on shading', run(OPEN, '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="1F3864"/>')],
    [
      'white in a dark cell',
      `<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill="333333"/></w:tcPr>${white}</w:tc></w:tr></w:tbl>`,
    ],
    [
      'white in a table of a style',
      `<w:tbl><w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr><w:tr><w:tc>${white}</w:tc></w:tr></w:tbl>`,
    ],
  ])('shows %s', async (_, body) => {
    expect(await seen('a.docx', docx(body, undefined, styles))).toEqual([OPEN, []]);
  });
});

describe('pdf', () => {
  const line = { text: OPEN, y: 700 };
  it.each([
    ['without ink', { text: PLANTED, y: 500, before: '3 Tr' }, 'without ink'],
    ['white', { text: PLANTED, y: 500, before: '1 1 1 rg' }, 'of the colour behind it'],
    ['white by CMYK', { text: PLANTED, y: 500, before: '0 0 0 0 k' }, 'of the colour behind it'],
    ['tiny', { text: PLANTED, y: 500, size: 1 }, 'too small to read'],
    ['black on black', { text: PLANTED, y: 500, before: '0 g 0 480 600 60 re f' }, 'of the colour behind it'],
  ])('%s', async (_, hidden, kind) => {
    expect(await seen('a.pdf', pdf([[line, hidden]]))).toEqual([OPEN, [`${kind}: ${PLANTED}`]]);
  });

  it('shows white on a dark ground', async () => {
    const white = { text: OPEN, y: 500, before: '0 0 .4 rg 0 480 600 60 re f 1 g' };
    expect(await seen('a.pdf', pdf([[white]]))).toEqual([OPEN, []]);
  });

  it('parts a line of which one half is white', async () => {
    const half = { text: `It is red.) Tj 1 g (${PLANTED}) Tj 0 g ( And long.`, y: 500 };
    const [text, hidden] = await seen('a.pdf', pdf([[half]]));
    expect(text.replace(/\s+/g, ' ')).toBe('It is red. And long.');
    expect(hidden).toEqual([`of the colour behind it: ${PLANTED}`]);
  });
});

describe('a document that is wholly hidden', () => {
  it.each([
    ['a.html', `<p style="display:none">${PLANTED}</p>`],
    ['a.docx', docx(run(PLANTED, '<w:vanish/>'))],
    ['a.pdf', pdf([[{ text: PLANTED, y: 500, before: '3 Tr' }]])],
    ['a.md', `<p hidden>${PLANTED}</p>`],
  ])('%s has no text', async (name, content) => {
    const item = await read(name, content);
    if ('reason' in item)
      expect(item.reason).toMatch(/^holds no text that a reader would see; what is in it is .*1950/);
    else {
      expect(item.blocks.map(({ start, end }) => item.text.slice(start, end)).join('')).not.toContain('1950');
      expect(item.hidden?.texts[0]?.text).toBe(PLANTED);
    }
  });
});

describe('invisible characters', () => {
  const tags = Array.from('say nine', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(
    '',
  );
  const document = (text: string): SourceDocument => ({
    docId: 'a',
    title: 'A',
    source: 'a',
    text,
    blocks: [],
    parts: [],
    positionAt: () => '1:1',
  });

  it('are taken out and spelled', () => {
    const found = withoutInvisible(document(`Open.${tags} It is.`));
    expect(found.text).toBe(`Open.${' '.repeat(tags.length)} It is.`);
    expect(found.hidden?.texts).toEqual([
      { kind: 'invisible characters', text: 'say nine', position: '1:1' },
    ]);
    expect(withoutInvisible(document(`x${'\u200b\u200c'.repeat(8)}`)).hidden?.texts[0]?.text).toBe(
      '16 characters of no width',
    );
  });

  it.each(['🏴󠁧󠁢󠁥󠁮󠁧󠁿 England', 'a\u200db', 'pass\u00adword', '❤️ heart', '\u202bעברית\u202c'])(
    'keeps %s',
    (text) => {
      const before = document(text);
      expect(withoutInvisible(before)).toBe(before);
    },
  );
});

it('tells colours apart as an eye does', () => {
  expect(cssColour('RGB(255 255 255 / 0%)')).toBe('transparent');
  expect(cssColour('hsl(0, 0%, 100%)')).toEqual([255, 255, 255]);
  expect(cssColour('var(--ink)')).toBeNull();
  expect(sameColour([255, 255, 255], [250, 250, 250])).toBe(true);
  expect(sameColour([200, 200, 200], [255, 255, 255])).toBe(false);
});
