/** Places in the pages that commands write: what stands between `<!-- figures:NAME -->` and `<!-- /figures:NAME -->`. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError, messageOf, PragauraError, writeWholeFile } from '../../common/index.ts';

/** Beside these two any page of `docs/`, however deep, may hold the tables. */
const PAGES = ['README.md', 'DESIGN.md'];

const opening = (name: string) => `<!-- figures:${name} -->`;
const closing = (name: string) => `<!-- /figures:${name} -->`;

/**
 * The text with `table` between the markers of `name`; null when it has no such markers. Throws CONFIGURATION when
 * there is only one of the two, when they stand the wrong way round, or more than once.
 */
export function between(text: string, name: string, table: string): string | null {
  const [open, close] = [opening(name), closing(name)];
  const counts = [open, close].map((marker) => text.split(marker).length - 1);
  if (counts.every((count) => count === 0)) return null;
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (counts.some((count) => count !== 1) || end < start) {
    throw new PragauraError('CONFIGURATION', `The markers of figures:${name} are not one pair.`, {
      hint: `Write ${open} on a line, and ${close} on a line after it, once.`,
    });
  }
  return `${text.slice(0, start + open.length)}\n\n${table.trim()}\n\n${text.slice(end)}`;
}

/** Where each table goes. Throws CONFIGURATION when one has no place, or has two. */
export async function pagesOf(names: readonly string[], dir: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const file of await pageNames(dir)) {
    const text = await page(path.join(dir, file));
    for (const name of names) {
      if (between(text, name, '') === null) continue;
      const before = pages.get(name);
      if (before !== undefined) {
        throw new PragauraError('CONFIGURATION', `figures:${name} has a place in ${before} and in ${file}.`);
      }
      pages.set(name, file);
    }
  }
  const homeless = names.find((name) => !pages.has(name));
  if (homeless === undefined) return pages;
  throw new PragauraError(
    'CONFIGURATION',
    `None of ${PAGES.join(', ')} and docs/**/*.md has a place for figures:${homeless}.`,
    {
      hint: `Write ${opening(homeless)} and ${closing(homeless)} on lines of their own where the table belongs.`,
    },
  );
}

/** Writes the tables between their markers; a page that already says the same is left alone. Gives the pages written. */
export async function updatePages(tables: ReadonlyMap<string, string>, dir: string): Promise<string[]> {
  const pages = await pagesOf([...tables.keys()], dir);
  const written: string[] = [];
  for (const file of new Set(pages.values())) {
    const before = await page(path.join(dir, file));
    let text = before;
    for (const [name, table] of tables) {
      if (pages.get(name) === file) text = between(text, name, table)!;
    }
    if (text === before) continue;
    await writeWholeFile(path.join(dir, file), text, 'Is the folder writable?');
    written.push(file);
  }
  return written;
}

/** The project's pages from `dir`: README and DESIGN, then those of `docs/`, where there is one, in the order of their names. */
export async function pageNames(dir: string): Promise<string[]> {
  try {
    const names = await readdir(path.join(dir, 'docs'), { recursive: true });
    const docs = names
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name.split(path.sep).join('/')}`);
    return [...PAGES, ...docs.sort()];
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return PAGES;
    throw new PragauraError('NOT_FOUND', `${path.join(dir, 'docs')} cannot be read: ${messageOf(error)}`, {
      hint: 'Run it in the folder of the repository.',
      cause: error,
    });
  }
}

async function page(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`, {
      hint: 'Run it in the folder of the repository.',
      cause: error,
    });
  }
}
