import { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PragauraError } from './errors.ts';
import { idOf, runRecords, toLine } from './ndjson.ts';
import { plain } from './terminal.ts';
import { run } from './testing/streams.ts';

const codes = (records: { error?: { code: string } }[]) => records.map((r) => r.error?.code ?? 'ok');

/** Cuts bytes at the given places, wherever these fall inside a character. */
function cut(bytes: Buffer, at: number[]): Buffer[] {
  const places = [...new Set(at.map((a) => a % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : places[i - 1], end));
}

describe('runRecords', () => {
  it('gives one line a line in input order, however the bytes are cut and however long each record takes', async () => {
    const record = fc.record({ id: fc.nat(), text: fc.string({ unit: 'binary', maxLength: 12 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 20 }),
        fc.array(fc.nat(4000), { maxLength: 40 }),
        fc.array(fc.nat(6), { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('\n', '\r\n', '\n\n', '\n \r\n'),
        fc.boolean(),
        async (items, cuts, delays, window, newline, lastNewline) => {
          const text = items.map((item) => JSON.stringify(item)).join(newline) + (lastNewline ? newline : '');
          let turnsOf = 0;
          const { summary, records } = await run(
            Readable.from(cut(Buffer.from(text), cuts), { objectMode: false }),
            {
              window,
              process: async (item) => {
                const turns = delays[turnsOf++ % delays.length]!;
                for (let i = 0; i < turns; i++) await turn();
                return { item };
              },
            },
          );
          expect(records.map((r) => r.item)).toEqual(JSON.parse(JSON.stringify(items)));
          expect(summary).toMatchObject({
            read: items.length,
            written: items.length,
            failed: 0,
            exitCode: 0,
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('turns any bytes at all into one valid line for each line that is not blank', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 25 }),
        async (chunks, maxLineBytes) => {
          const { summary, records } = await run(Readable.from(chunks.map((c) => Buffer.from(c))), {
            maxLineBytes,
          });
          const lines = Buffer.concat(chunks).toString('latin1').split('\n');
          // A blank line is one that holds white space only; a byte-order mark counts as white space.
          const blank =
            /^(?:[ \t\r\v\f]|\xc2\xa0|\xef\xbb\xbf|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe1\x9a\x80|\xe2\x81\x9f|\xe3\x80\x80)*$/;
          const expected = lines.filter((l) => !blank.test(l) || l.length > maxLineBytes).length;
          expect(records.length).toBe(expected);
          expect(summary.read).toBe(expected);
        },
      ),
    );
  });

  it('puts an error record on the line of a bad line and does the rest', async () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufeff{"id":"bom"}\r\n\r\n{"id":"a",\n'),
      Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
      Buffer.from('\ufeff{"id":7,"fail":true}\n{"id":"defect","defect":true}\n{"id":"last"}'),
    ]);
    const { summary, records, told } = await run(bytes, {
      parse: (value) => {
        if ((value as { fail?: boolean }).fail) {
          throw new PragauraError('INVALID_INPUT', 'no\u001b[2J', { hint: 'so' });
        }
        return value;
      },
      process: async (item) => {
        if ((item as { defect?: boolean }).defect) throw new TypeError('x is not a function');
        return { item };
      },
    });
    expect(codes(records)).toEqual([
      'ok',
      'INVALID_INPUT',
      'INVALID_INPUT',
      'INVALID_INPUT',
      'INTERNAL',
      'ok',
    ]);
    expect(records.map((r) => r.line ?? null)).toEqual([null, 3, 4, 5, 6, null]);
    expect(records.map((r) => r.id)).toEqual([undefined, null, null, '7', 'defect', undefined]);
    expect(records[3]).toEqual({
      schema: 'pragaura.error/1',
      id: '7',
      line: 5,
      error: { code: 'INVALID_INPUT', message: 'no\u001b[2J', hint: 'so' },
    });
    expect(summary).toMatchObject({ read: 6, written: 6, failed: 4, exitCode: 70 });
    expect(told[2]).toBe('line 5: no\u241b[2J');
  });

  it('exits 65 for bad lines, 69 when a model was unavailable for one, 78 when the configuration is wrong', async () => {
    const fails = (code: 'INVALID_INPUT' | 'SCORING_FAILED' | 'CONFIGURATION') => async () => {
      throw new PragauraError(code, 'x');
    };
    expect((await run('{}\n', { process: fails('INVALID_INPUT') })).summary.exitCode).toBe(65);
    expect((await run('{}\n{\n', { process: fails('SCORING_FAILED') })).summary.exitCode).toBe(69);
    expect((await run('{}\n{\n', { process: fails('CONFIGURATION') })).summary.exitCode).toBe(78);
    expect((await run('\n')).summary.exitCode).toBe(0);
  });

  it('tells of five bad lines and then that there are more', async () => {
    const { told, summary } = await run('{\n'.repeat(9));
    expect(summary.failed).toBe(9);
    expect(told.length).toBe(6);
  });

  it('gives every error a hint that names the fix', async () => {
    const { records } = await run(Buffer.from('{\n"\xff"\n"long line"\n', 'latin1'), { maxLineBytes: 5 });
    expect(records.map((r) => r.error.hint)).toEqual([
      expect.stringContaining('jq'),
      expect.stringContaining('iconv'),
      expect.stringContaining('JSON object'),
    ]);
    await expect(run('1\n', { window: 0 })).rejects.toMatchObject({ hint: expect.stringContaining('16') });
  });

  it('writes records in another encoding, none or many lines each, and tells every bad line with its hint', async () => {
    const chunks: string[] = [];
    const output = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(String(chunk));
        done();
      },
    });
    const told: string[] = [];
    const summary = await runRecords({
      input: Readable.from([`2\n${'{\n'.repeat(7)}0\n"x"\n1\n`]),
      output,
      errors: (message) => told.push(message),
      window: 3,
      parse: (value) => value as number,
      process: async (lines) => {
        if (typeof lines !== 'number')
          throw new PragauraError('INVALID_INPUT', 'no number', { hint: 'say 3' });
        return { lines };
      },
      encode: ({ lines }) => `line of ${lines}\n`.repeat(lines),
    });
    expect(chunks.join('')).toBe('line of 2\nline of 2\nline of 1\n');
    expect(told.length).toBe(8);
    expect(told[0]).toMatch(/^line 2: The line is not JSON.*jq/);
    expect(told[7]).toBe('line 10: no number say 3');
    expect(summary).toMatchObject({ read: 11, written: 3, failed: 8, exitCode: 65 });
  });

  it('gives an NDJSON output of several lines a record, or none, its error records', async () => {
    const { summary, records, told } = await run(Buffer.from('{"n":2}\nbad\n{"n":0}\n{"n":1}\n'), {
      parse: (value) => value as { n: number },
      process: async (item) => item as { n: number },
      encode: (record) => toLine(record).repeat((record as { n: number }).n),
      errorRecords: true,
    });
    expect(records.map((r) => r.error?.code ?? r.n)).toEqual([2, 2, 'INVALID_INPUT', 1]);
    expect(told).toEqual([expect.stringMatching(/^line 2: /)]);
    expect(summary).toMatchObject({ read: 4, failed: 1, exitCode: 65 });
  });

  it('skips an over-long line without keeping it', async () => {
    let produced = 0;
    async function* flood() {
      yield Buffer.from('{"id":"before"}\n"');
      for (; produced < 2000; produced++) yield Buffer.alloc(10_000, 0x61);
      yield Buffer.from('"\n{"id":"after"}\n');
    }
    const { records, summary } = await run(Readable.from(flood()), { maxLineBytes: 15_000, window: 1 });
    expect(codes(records)).toEqual(['ok', 'INVALID_INPUT', 'ok']);
    expect(records[1].line).toBe(2);
    expect(records[2].item.id).toBe('after');
    expect(summary.exitCode).toBe(65);
  });

  it('takes JSON for what it is: __proto__, duplicate keys, deep nesting, scalars', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const { records } = await run(
      `{"__proto__":{"polluted":1},"id":"p"}\n{"id":"a","id":"b"}\n${deep}\n7\nnull\n${'{"a":'.repeat(100_000)}\n`,
      { parse: (value) => (Array.isArray(value) ? 'array' : value) },
    );
    expect(codes(records)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'INVALID_INPUT']);
    expect(Object.keys(records[0].item)).toEqual(['__proto__', 'id']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(records[1].item.id).toBe('b');
  });

  it('says so on its line when a result cannot be written as JSON', async () => {
    const { records } = await run('{"id":"big"}\n', { process: async () => ({ n: 1n }) });
    expect(records[0]).toMatchObject({ id: 'big', error: { code: 'INTERNAL' } });
  });
});

describe('records', () => {
  it('are the same records after escaping, without anything that moves a cursor or breaks a line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = toLine({ text });
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify({ text })));
        // Whatever would be stripped on a terminal has been escaped.
        expect(plain(line)).toBe(line);
      }),
    );
    for (const code of [0x85, 0x9b, 0x2028, 0x202e, 0x2066, 0xfff9, 0xfffb, 0xe0000, 0xe0041, 0xe007f]) {
      const text = `b${String.fromCodePoint(code)}31m 🧿`;
      expect(plain(toLine({ text }))).toBe(toLine({ text }));
      expect(JSON.parse(toLine({ text }))).toEqual({ text });
    }
  });

  it('have ids that are strings, numbers made strings, or none', () => {
    expect(idOf({ id: 'a' })).toBe('a');
    expect(idOf({ id: 12 })).toBe('12');
    expect(idOf({ id: '' })).toBeNull();
    expect(idOf({ id: {} })).toBeNull();
    expect(idOf({ id: 'x'.repeat(513) })).toBeNull();
    expect(idOf(JSON.parse('{"__proto__":{"id":"inherited"}}'))).toBeNull();
    expect(idOf(null)).toBeNull();
    expect(idOf('id')).toBeNull();
  });
});
