/** Scenarios as they are written down: one turn a line, with what has to come of it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PragauraError } from '../../common/index.ts';

/** What has to come of a question or a statement. */
export type Expected =
  /** Answered by a quote of this document that holds these words. */
  | { kind: 'quote'; text: string; docId: string }
  /** Not answered: the documents that one may read do not say it. */
  | { kind: 'none' }
  /** A statement about the documents: verified, not believed. */
  | { kind: 'claim'; docId: string }
  /** Talk: no statement about the documents. */
  | { kind: 'talk' }
  /** Whatever comes of it; the next turn asks once more. */
  | { kind: 'retry' };

export interface Said {
  type: 'said';
  who: string;
  text: string;
  expected: Expected;
  /** `~`: what is remembered has to be in it; `*`: after a try to change the documents; `^`: asked once more. */
  marks: ReadonlySet<'~' | '*' | '^'>;
}

export interface Done {
  type: 'done';
  who: string;
  verb: string;
  /** Name of a ticket within the house, and what else the verb takes. */
  rest: string;
  expected: string;
}

export type Turn = Said | Done;

export interface Scenario {
  house: string;
  title: string;
  turns: Turn[];
}

const SAID = /^(\w+) [?!] (.+?) => (.+)$/;
const DONE = /^(\w+) : (\w+)(?: (.*?))?(?: => (.+))?$/;
const QUOTE = /^"([^"]+)" @(\S+)$/;

/** The scenarios of a house. Throws INVALID_INPUT for a line that is none. */
export async function scenariosOf(folder: string): Promise<Scenario[]> {
  const house = path.basename(folder);
  const file = path.join(folder, 'scenarios.txt');
  const scenarios: Scenario[] = [];
  for (const [i, line] of (await readFile(file, 'utf8')).split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('== ')) {
      scenarios.push({ house, title: line.slice(3), turns: [] });
      continue;
    }
    const turn = turnOf(line);
    if (turn === null || scenarios.length === 0) {
      throw new PragauraError('INVALID_INPUT', `${file}, line ${i + 1} is no turn: ${line}`);
    }
    scenarios.at(-1)!.turns.push(turn);
  }
  return scenarios;
}

function turnOf(line: string): Turn | null {
  const said = SAID.exec(line);
  if (said !== null) {
    const [, who, text, rest] = said as unknown as [string, string, string, string];
    const marks = new Set<'~' | '*' | '^'>();
    let wanted = rest;
    for (const mark of ['~', '*', '^'] as const) {
      if (!wanted.endsWith(` ${mark}`)) continue;
      marks.add(mark);
      wanted = wanted.slice(0, -2);
    }
    const expected = expectedOf(wanted);
    return expected === null ? null : { type: 'said', who, text, expected, marks };
  }
  const done = DONE.exec(line);
  if (done === null) return null;
  const [, who, verb, rest = '', expected = 'ok'] = done as unknown as [
    string,
    string,
    string,
    string?,
    string?,
  ];
  return { type: 'done', who, verb, rest, expected };
}

function expectedOf(text: string): Expected | null {
  const quote = QUOTE.exec(text);
  if (quote !== null) return { kind: 'quote', text: quote[1]!, docId: quote[2]! };
  if (text === 'none' || text === 'talk' || text === 'retry') return { kind: text };
  const claim = /^claim @(\S+)$/.exec(text);
  return claim === null ? null : { kind: 'claim', docId: claim[1]! };
}
