/** What is written to a terminal: text made harmless, colours, progress. */

// Line and paragraph separators, interlinear and tag characters go with the controls: they hide or move text.
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function visible(char: string): string {
  const code = char.codePointAt(0)!;
  if (char === '\n' || char === '\t') return char;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  if (code === 0x2028 || code === 0x2029) return '\n';
  return '\ufffd';
}

/**
 * Text from a document or a query, safe to write to a terminal: control characters become their pictures (ESC is
 * shown as "␛"), C1 controls, bidi overrides, tag characters and lone surrogates become U+FFFD. Newlines and tabs
 * stay, "\r\n" becomes "\n". Applying it twice changes nothing more.
 */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, visible);
}

/** `plain` on one line: every run of white space is one space, so that no text can pass for a line of ours. */
export function plainLine(text: string): string {
  return plain(text).replace(/\s+/gu, ' ').trim();
}

/** The part of a stream that is needed here; `process.stdout` and `process.stderr` fit. */
export interface TerminalStream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  underline: [4, 24],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Colours = Record<keyof typeof STYLES, (text: string) => string> & { enabled: boolean };

/** Colours for a stream: on a terminal only; NO_COLOR turns them off, FORCE_COLOR (not "0") on. */
export function colours(stream: TerminalStream = process.stdout, env = process.env): Colours {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const wanted = forced || (stream.isTTY === true && env.TERM !== 'dumb' && env.FORCE_COLOR !== '0');
  const enabled = wanted && !env.NO_COLOR;
  const styles = Object.entries(STYLES).map(([name, [on, off]]) => [
    name,
    (text: string) => (enabled ? `\u001b[${on}m${text}\u001b[${off}m` : text),
  ]);
  return { ...(Object.fromEntries(styles) as Colours), enabled };
}

export interface Progress {
  /** `done` of the total, and what is being done now. Cheap to call as often as one likes. */
  update(done: number, detail?: string): void;
  /** Takes the line away. Further updates are ignored. */
  end(): void;
}

const CLEAR_LINE = '\r\u001b[2K';
const REDRAW_MS = 100;

/** One line on standard error that is drawn over and over, at most ten times a second, and only on a terminal. */
export function progress(
  label: string,
  total?: number,
  options: { stream?: TerminalStream; now?: () => number } = {},
): Progress {
  const stream = options.stream ?? process.stderr;
  const now = options.now ?? Date.now;
  let active = stream.isTTY === true;
  let drawn = Number.NEGATIVE_INFINITY;

  const draw = (count: string, detail: string) => {
    drawn = now();
    const parts = [label, count, detail].filter((part) => part !== '').map(plainLine);
    const width = Math.max(10, (stream.columns || 80) - 1);
    stream.write(CLEAR_LINE + Array.from(parts.join(' ')).slice(0, width).join(''));
  };

  if (active) draw('', '');
  return {
    update(done, detail = '') {
      if (!active || now() - drawn < REDRAW_MS) return;
      draw(total === undefined ? String(done) : `${done}/${total}`, detail);
    },
    end() {
      if (!active) return;
      active = false;
      stream.write(CLEAR_LINE);
    },
  };
}

/** A line for people on standard error, because standard output carries data only. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}
