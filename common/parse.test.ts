import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseAs, recordParser } from './parse.ts';

const Schema = z.strictObject({ id: z.string().min(1), n: z.object({ k: z.number() }) });

describe('parseAs', () => {
  it('says which fields do not fit, and what would', () => {
    const parse = parseAs(Schema, 'so');
    expect(parse({ id: 'a', n: { k: 1 } })).toEqual({ id: 'a', n: { k: 1 } });
    expect(() => parse({ id: 'a', n: { k: 'x' }, constructor: 1 })).toThrow(/n\.k: .*number.*constructor/);
    expect(() => parse(JSON.parse('{"id":"a","n":{"k":1},"__proto__":{}}'))).toThrow(/__proto__/);
    expect(() => parse([])).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', hint: 'so' }));
  });
});

describe('recordParser', () => {
  const parse = recordParser(Schema, 'so');
  const n = { k: 1 };

  it('calls a record without an id after its line and makes numbers strings', () => {
    expect(parse({ n }, 7).id).toBe('line-7');
    expect(parse({ id: null, n }, 8).id).toBe('line-8');
    expect(parse({ id: 12, n }, 9).id).toBe('12');
    expect(parse({ id: 'a', n }, 9).id).toBe('a');
  });

  it.each([[{ id: {}, n }], [{ id: '', n }], [[]], [null], ['text']])('refuses %j', (value) => {
    expect(() => parse(value, 1)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', hint: 'so' }));
  });
});
