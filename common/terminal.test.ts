import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { colours, plain, plainLine, progress } from './terminal.ts';

const FORBIDDEN = /[\p{Cs}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

function fakeTerminal(isTTY: boolean, columns = 40) {
  const written: string[] = [];
  return { stream: { isTTY, columns, write: (text: string) => written.push(text) }, written };
}

describe('plain', () => {
  it('shows escapes instead of sending them', () => {
    expect(plain('a\u001b[2Jb\u0007')).toBe('a\u241b[2Jb\u2407');
    expect(plain('\u009b31mred\u007f')).toBe('\ufffd31mred\u2421');
  });

  it('stops bidi overrides, tag characters and lone surrogates', () => {
    expect(plain('\u202eevil\u202c \u{e0041} \ud800')).toBe('\ufffdevil\ufffd \ufffd \ufffd');
  });

  it('keeps newlines, tabs, emoji and scripts of other directions', () => {
    const text = 'line\n\ttab 👩‍👩‍👧 שלום \u200fعربي 漢字';
    expect(plain(text)).toBe(text);
    expect(plain('a\r\nb\rc')).toBe('a\nb\u240dc');
  });

  it('leaves nothing harmful, whatever the text, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const safe = plain(text);
        expect(safe).not.toMatch(FORBIDDEN);
        for (const char of safe.replace(/[\n\t]/g, '')) expect(char).not.toMatch(/\p{Cc}/u);
        expect(plain(safe)).toBe(safe);
      }),
    );
  });

  it('puts text on one line where a line of ours is expected', () => {
    expect(plainLine('  a\n\nANSWER:\tforged\u2028x ')).toBe('a ANSWER: forged x');
  });
});

describe('colours', () => {
  it('are for terminals and yield to NO_COLOR', () => {
    const terminal = fakeTerminal(true).stream;
    expect(colours(terminal, {}).bold('x')).toBe('\u001b[1mx\u001b[22m');
    expect(colours(terminal, { NO_COLOR: '1' }).bold('x')).toBe('x');
    expect(colours(terminal, { TERM: 'dumb' }).bold('x')).toBe('x');
    expect(colours(fakeTerminal(false).stream, {}).red('x')).toBe('x');
    expect(colours(fakeTerminal(false).stream, { FORCE_COLOR: '1' }).enabled).toBe(true);
    expect(colours(terminal, { FORCE_COLOR: '0' }).enabled).toBe(false);
  });
});

describe('progress', () => {
  it('writes nothing where there is no terminal', () => {
    const { stream, written } = fakeTerminal(false);
    const bar = progress('reading', 3, { stream });
    bar.update(1, 'x');
    bar.end();
    expect(written).toEqual([]);
  });

  it('redraws at most ten times a second, fits the width and cleans up', () => {
    const { stream, written } = fakeTerminal(true, 20);
    let now = 0;
    const bar = progress('reading', 1000, { stream, now: () => now });
    for (let i = 1; i <= 1000; i++) {
      now += 1;
      bar.update(i, `file\u001b]0;evil\u0007-with-a-long-name-${i}`);
    }
    bar.end();
    bar.update(1000);
    expect(written.length).toBe(1 + 10 + 1);
    expect(written.at(-1)).toBe('\r\u001b[2K');
    for (const line of written) {
      expect(line.startsWith('\r\u001b[2K')).toBe(true);
      expect(line.slice(5)).not.toMatch(/\p{Cc}/u);
      expect(line.slice(5).length).toBeLessThan(20);
    }
  });
});
