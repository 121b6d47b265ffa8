import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { OTHERWISE } from '../../scorers/runtime/open.ts';
import { runClassify } from './classify-stream.ts';

async function classify(lines: readonly string[], embedding: boolean) {
  const output = new PassThrough();
  const said: string[] = [];
  const [exitCode, written] = await Promise.all([
    runClassify({
      input: Readable.from([lines.map((line) => `${line}\n`).join('')]),
      output,
      say: (message) => said.push(message),
      window: 4,
      embedding,
      threads: 1,
      provider: 'cpu',
    }).finally(() => output.end()),
    text(output),
  ]);
  return {
    exitCode,
    said,
    records: written
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
}

test.each([true, false])(
  'a line for each line, in order, bad ones included (embedding: %s)',
  async (embedding) => {
    const { exitCode, records, said } = await classify(
      [
        '{"id":"a","query":"How many moons has Mars?"}',
        '{"id":"b"}',
        '{"query":"define entropy"}',
        '{"id":"a","query":""}',
        'nonsense',
        '{"id":"__proto__","query":"constructor"}',
      ],
      embedding,
    );
    expect(exitCode).toBe(65);
    expect(records.map(({ schema }) => schema)).toEqual([
      'pragaura.act/1',
      'pragaura.error/1',
      'pragaura.act/1',
      'pragaura.act/1',
      'pragaura.error/1',
      'pragaura.act/1',
    ]);
    expect(records[0]).toMatchObject({ id: 'a', query: 'How many moons has Mars?', label: 'QUANTITY' });
    expect(records[2]).toMatchObject({ id: 'line-3', label: 'DEFINITION' });
    expect(records[3].label).toBe('NOT_A_QUESTION');
    expect(records[5].id).toBe('__proto__');
    // On an old processor that is said besides.
    expect(said.filter((line) => !line.includes(OTHERWISE.unfused))).toHaveLength(2);
  },
);
