import type { Block, Part } from '../types.ts';
import { lastAtMost } from './offsets.ts';

/** Lines of a list at least, and the share of them that are headings, and questions, where it leads to what is asked below. */
const LEAST = 3;
const HEADED = 0.7;
const ASKED = 0.5;
/** Of a line that are looked at. */
const MOST_CHARS = 300;

interface Content {
  text: string;
  blocks: readonly Block[];
  parts: readonly Part[];
}

/**
 * Without the lists of questions that the document itself asks again in its headings, as the contents of an FAQ: a question that
 * is asked is found there, and answered below.
 */
export function withoutQuestionLists<C extends Content>(content: C): C {
  const { text, blocks, parts } = content;
  const headings = new Set(
    parts.flatMap(({ kind, start, end }) => (kind === 'heading' ? [bare(text.slice(start, end))] : [])),
  );
  if ([...headings].filter(isQuestion).length < LEAST) return content;
  const leads = ({ start, end }: Block) => {
    if (text.slice(start, end).split(/[?？]/, LEAST + 1).length <= LEAST) return false;
    const lines = linesIn(text, start, end, parts);
    const headed = lines.filter((line) => headings.has(line));
    return (
      headed.length >= Math.max(LEAST, HEADED * lines.length) &&
      headed.filter(isQuestion).length >= ASKED * lines.length
    );
  };
  const dropped = blocks.filter(leads);
  if (dropped.length === 0) return content;
  const gone = new Set(dropped);
  const isDropped = (part: Part) => {
    const block = dropped[lastAtMost(dropped.length, (i) => dropped[i]!.start, part.start)];
    return block !== undefined && part.end <= block.end;
  };
  return {
    ...content,
    blocks: blocks.filter((block) => !gone.has(block)),
    parts: parts.filter((part) => part.kind === 'heading' || !isDropped(part)),
  };
}

function isQuestion(line: string): boolean {
  return /[?？]$/u.test(line);
}

/** What stands in a block line by line: each item of a list, without those within it, else each line. */
function linesIn(text: string, start: number, end: number, parts: readonly Part[]): string[] {
  const items: Part[] = [];
  const first = lastAtMost(parts.length, (i) => parts[i]!.start, start - 1) + 1;
  for (let i = first; i < parts.length && parts[i]!.start < end; i += 1) {
    if (parts[i]!.kind === 'item') items.push(parts[i]!);
  }
  const lines =
    items.length > 0
      ? items.map((item, i) => text.slice(item.start, Math.min(item.end, items[i + 1]?.start ?? item.end)))
      : text.slice(start, end).split(/\r\n|[\n\r]/);
  return lines.map(bare).filter((line) => line !== '');
}

/** A line without what differs between a heading and a list: number, mark, case, white space, the number of a page. */
function bare(line: string): string {
  return line
    .slice(0, MOST_CHARS)
    .replace(/[`*_]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:[-*+•‣▪–] |[A-Z]?\d+(?:\.\d+)*[.):]? )/u, '')
    .replace(/ [-*+•‣▪–(]?$/u, '')
    .replace(/[ .]* \d{1,4}$/u, '')
    .toLowerCase();
}
