import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { PragauraError, plain, plainLine, seededRandom, type TerminalStream } from '../../common/index.ts';
import { type CorpusIndex, loadIdentifiers, openIndex } from '../../router/index.ts';
import { openLabelFile } from '../proposals/label-file.ts';
import { type Proposed, propose } from '../proposals/propose.ts';
import { type Dialogue, goThrough } from '../proposals/session.ts';
import type { Labelled } from '../types.ts';

export interface LabelRun {
  index: string;
  /** An index with documents that were left out of the other one. */
  removed: string | undefined;
  out: string;
  /** Labels that are wanted in the file. */
  n: number;
  seed: number;
  /** Write proposals as they are. */
  acceptAll: boolean;
}

export interface Terminal {
  stdin: Readable & { isTTY?: boolean };
  /** What is for the person; data goes to the file. */
  screen: TerminalStream;
  signal: AbortSignal;
  now?: () => number;
}

/**
 * Proposes labels and keeps those that are taken. Gives what to say at the end. Throws EMPTY_INPUT where the documents give
 * nothing to ask, USAGE where nobody is there to answer, and what opening the index and the file throws.
 */
export async function runLabel(options: LabelRun, terminal: Terminal): Promise<string> {
  const { out, n, seed, acceptAll } = options;
  const kept = await openLabelFile(out);
  const before = kept.count;
  if (before >= n) return `${out} holds ${before} labels already; --n asks for ${n}.\n`;
  const index = await openIndex(options.index);
  const removed = options.removed === undefined ? undefined : await openIndex(options.removed);
  const identifiers = loadIdentifiers(index);
  const proposals = propose(index, { n, random: seededRandom(seed), identifiers, removed });
  const open = proposals.filter(({ id }) => !kept.has(id));
  if (open.length === 0) throw nothingToAsk(options.index, proposals.length > 0);
  if (acceptAll) {
    const taken = open.slice(0, n - before);
    await kept.save(taken.map(({ id, label }): Labelled => ({ id, ...label })));
    return `${out}: ${kept.count} labels, ${taken.length} of them as they were proposed, checked by nobody.\n`;
  }
  const dialogue = new Screen(index, removed, terminal);
  const ended = await goThrough(open, n, kept, dialogue).finally(() => dialogue.close());
  if (terminal.signal.aborted) {
    throw new PragauraError('ABORTED', `Interrupted: ${kept.count} labels are in ${out}.`, {
      hint: 'The same command goes on from there.',
    });
  }
  if (!ended && !dialogue.heard) throw nobodyThere();
  const left = kept.count < n ? ` ${n - kept.count} more are wanted; the same command goes on.` : '';
  const file = existsSync(out) ? out : `${out} (not written)`;
  return `${file}: ${kept.count} labels, ${kept.count - before} of them new.${left}\n`;
}

const MOST_LINES = 14;
const MOST_CHARS = 900;

/** One proposal at a time on a terminal, or a line a decision from a pipe. */
class Screen implements Dialogue {
  readonly #index: CorpusIndex;
  readonly #removed: CorpusIndex | undefined;
  readonly #screen: TerminalStream;
  readonly #lines: ReturnType<typeof createInterface>;
  readonly #waiting: string[] = [];
  readonly #now: () => number;
  readonly #started: number;
  readonly #isTerminal: boolean;
  #first: number | null = null;
  #ended = false;
  #wake: (() => void) | null = null;
  heard = false;

  constructor(index: CorpusIndex, removed: CorpusIndex | undefined, terminal: Terminal) {
    const { stdin, screen, signal, now = () => performance.now() } = terminal;
    this.#index = index;
    this.#removed = removed;
    this.#screen = screen;
    this.#now = now;
    this.#started = now();
    this.#isTerminal = stdin.isTTY === true && screen.isTTY === true;
    this.#lines = createInterface({
      input: stdin,
      ...(this.#isTerminal ? { output: screen as unknown as NodeJS.WritableStream, terminal: true } : {}),
    });
    this.#lines.on('line', (line) => {
      this.#waiting.push(line);
      this.#wake?.();
    });
    const end = () => {
      this.#ended = true;
      this.#wake?.();
    };
    this.#lines.on('close', end);
    // Reading a terminal takes Ctrl-C for itself.
    this.#lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  }

  show(
    { ordinal, removed, answer }: Proposed,
    label: Omit<Labelled, 'id'>,
    { done, n }: { done: number; n: number },
  ): void {
    const passage = (removed ? this.#removed! : this.#index).passages[ordinal]!;
    this.#first ??= done;
    const made = done - this.#first;
    const each = made === 0 ? '' : `, ${((this.#now() - this.#started) / made / 1_000).toFixed(0)} s a label`;
    const where = plainLine(`${passage.title}  (${passage.source})`);
    this.#write(
      `\n${done + 1} of ${n}${each}\n${label.answerable === false ? 'Nearest' : 'Passage'}   ${where}\n` +
        `${shortened(passage.text)}\nQuestion  ${plainLine(label.query)}\nRight     ${plainLine(inWords(label, answer))}\n`,
    );
  }

  say(line: string): void {
    this.#write(`${plainLine(line)}\n`);
  }

  async ask(prompt: string, given?: string): Promise<string | undefined> {
    if (this.#isTerminal) {
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
      if (given !== undefined) this.#lines.write(plainLine(given));
    } else this.#write(prompt);
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const line = this.#waiting.shift();
    if (line !== undefined) this.heard = true;
    if (!this.#isTerminal) this.#write('\n');
    return line;
  }

  close(): void {
    this.#lines.close();
  }

  #write(text: string): void {
    this.#screen.write(text);
  }
}

/** The beginning of a passage, line by line. */
function shortened(text: string): string {
  const all = plain(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const lines = plain(text.slice(0, MOST_CHARS))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MOST_LINES);
  const cut = text.length > MOST_CHARS || lines.length < all.length;
  return [...lines, ...(cut ? ['…'] : [])].map((line) => `  | ${line}`).join('\n');
}

const MOST_SHOWN = 240;

/** What a label calls right, for a person; `answer`: the documents' own words for what was proposed. */
function inWords(
  { answers, patterns, steps, verdict, answerable }: Omit<Labelled, 'id'>,
  answer: string | null,
): string {
  if (answerable === false) return 'nothing in the documents answers it';
  if (verdict !== undefined) return verdict;
  if (answers !== undefined) return answers.join(' | ');
  if (steps !== undefined) return steps.map((step, i) => `${i + 1}. ${step} …`).join(' ');
  const own =
    answer === null ? null : answer.length > MOST_SHOWN ? `${answer.slice(0, MOST_SHOWN)} …` : answer;
  if (patterns !== undefined) return own ?? patterns.map((pattern) => `/${pattern}/`).join(' or ');
  return own ?? 'what this passage says';
}

function nothingToAsk(index: string, decided: boolean): PragauraError {
  return new PragauraError(
    'EMPTY_INPUT',
    decided
      ? `Every question that ${index} gives was decided before.`
      : `Nothing of what ${index} holds can be made a question of by rule.`,
    { hint: 'Write labels by hand: {"id", "query", "answers"}, one a line.' },
  );
}

function nobodyThere(): PragauraError {
  return new PragauraError('USAGE', 'Nobody is there to say which proposals are right.', {
    hint: 'Run it in a terminal, or say --accept-all to have them written as they are.',
  });
}
