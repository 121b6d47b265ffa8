/** The pages of the project: whether their links lead somewhere, and whether a reader finds all of them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageNames } from '../bench/figures/markers.ts';
import { packedFiles, ROOT } from '../common/testing/packed.ts';

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

interface Page {
  /** What links point at, as they are written, with their lines (from 1). */
  links: { url: string; line: number }[];
  anchors: Set<string>;
}

function pageOf(text: string): Page {
  const links: Page['links'] = [];
  const anchors = new Set<string>();
  const visit = (node: Node): void => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') {
      links.push({ url: node.url, line: node.position!.start.line });
    }
    if (node.type === 'heading') anchors.add(freeAnchor(wordsOf(node), anchors));
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return { links, anchors };
}

function wordsOf(node: Node): string {
  if ('value' in node) return node.type === 'html' ? '' : node.value;
  return 'children' in node ? node.children.map(wordsOf).join('') : '';
}

/** What GitHub calls a heading: small letters, no punctuation, a hyphen for each space, a number where it is taken. */
function freeAnchor(heading: string, taken: ReadonlySet<string>): string {
  const plain = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
  for (let n = 0; ; n++) {
    const anchor = n === 0 ? plain : `${plain}-${n}`;
    if (!taken.has(anchor)) return anchor;
  }
}

/** The file that a link on `page` leads to, and the heading of it; null for a link out of the repository. */
function goalOf(page: string, url: string): { file: string; anchor: string } | null {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(url)) return null;
  const hash = url.indexOf('#');
  const [to, anchor] = hash === -1 ? [url, ''] : [url.slice(0, hash), url.slice(hash + 1)];
  const file = to === '' ? page : path.posix.join(path.posix.dirname(page), decodeURIComponent(to));
  return { file, anchor: decodeURIComponent(anchor) };
}

/** A line for each link that leads nowhere, and for each page of `docs/` that README does not lead to. */
async function brokenIn(root: string): Promise<string[]> {
  const pages = await pageNames(root);
  const broken: string[] = [];
  const read = new Map<string, Page>();
  const page = (file: string): Page => {
    const known = read.get(file) ?? pageOf(readFileSync(path.join(root, file), 'utf8'));
    read.set(file, known);
    return known;
  };
  const leadsTo = new Map<string, Set<string>>();
  for (const from of pages) {
    const goals = new Set<string>();
    leadsTo.set(from, goals);
    for (const { url, line } of page(from).links) {
      const goal = goalOf(from, url);
      if (goal === null) continue;
      const { file, anchor } = goal;
      const says = (why: string) => broken.push(`${from}:${line}: ${url} ${why}`);
      if (file.startsWith('/') || file.startsWith('..')) says('leads out of the repository');
      else if (!existsSync(path.join(root, file))) says('leads to no file');
      else {
        goals.add(file);
        if (anchor === '') continue;
        if (!file.endsWith('.md') || !statSync(path.join(root, file)).isFile())
          says('has a heading, but leads to no page');
        else if (!page(file).anchors.has(anchor)) says('leads to no heading');
      }
    }
  }
  const reached = new Set(['README.md']);
  for (const from of reached) for (const to of leadsTo.get(from) ?? []) reached.add(to);
  const lost = pages.filter((file) => !reached.has(file));
  return [...broken, ...lost.map((file) => `${file}: no links from README.md lead here`)];
}

describe('the pages of the project', () => {
  it('have links that lead to files and headings, and are all reached from README', async () => {
    expect(await brokenIn(ROOT)).toEqual([]);
  });

  it('have links that lead somewhere in the package too, which leaves files out', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'pragaura-packed-'));
    try {
      for (const file of packedFiles()) {
        mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
        writeFileSync(path.join(root, file), file.endsWith('.md') ? readFileSync(path.join(ROOT, file)) : '');
      }
      expect(await brokenIn(root)).toEqual([]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it('begin with a README of at most 250 lines', () => {
    const lines = readFileSync(path.join(ROOT, 'README.md'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(250);
  });
});

describe('the check of links', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(path.join(tmpdir(), 'pragaura-links-'));
    mkdirSync(path.join(root, 'docs', 'deep'), { recursive: true });
    const put = (file: string, ...lines: string[]) => writeFileSync(path.join(root, file), lines.join('\n'));
    put(
      'README.md',
      '# A `b`, _c_: "d" – e_f?',
      '# Twice',
      '# Twice',
      '[own](#a-b-c-d--e_f), [one](#twice), [two](#twice-1), [no](#twice-2) and <https://example.org/#x>',
      '| [cell](docs/a.md#b) |',
      '| --- |',
      '| [gone](docs/gone.md) |',
      '`[code](nowhere.md)`',
      '',
      '    [code](nowhere.md)',
      '![image](docs/none.svg) [folder](docs) [folder](docs#b)',
    );
    put('DESIGN.md', '[out](../x.md)', '', '[by name][n]', '', '[n]: docs/a.md#n');
    put('docs/a.md', '[deep](deep/b.md) [up](../DESIGN.md)', '## B ##');
    put('docs/deep/b.md', '<a href="c.md">no link of Markdown</a>', '[back](../a.md#B)');
    put('docs/deep/c.md', '[back](../../README.md)');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('names the file and the line of each that leads nowhere, and the pages that nothing leads to', async () => {
    expect(await brokenIn(root)).toEqual([
      'README.md:4: #twice-2 leads to no heading',
      'README.md:7: docs/gone.md leads to no file',
      'README.md:11: docs/none.svg leads to no file',
      'README.md:11: docs#b has a heading, but leads to no page',
      'DESIGN.md:1: ../x.md leads out of the repository',
      'DESIGN.md:5: docs/a.md#n leads to no heading',
      'docs/deep/b.md:2: ../a.md#B leads to no heading',
      'docs/deep/c.md: no links from README.md lead here',
    ]);
  });
});
