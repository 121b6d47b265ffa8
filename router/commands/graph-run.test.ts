import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { buildIndex } from '../../corpus/index.ts';
import { options, Scratch } from '../../corpus/testing/support.ts';
import { makeGraph } from './graph-run.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

async function made(labelled: string | Uint8Array | undefined, minSem = 0.5) {
  const index = join(scratch.folder(), 'index');
  await buildIndex([scratch.folder({ 'a.txt': 'Marie Curie visited Warsaw.\n' })], options(index));
  const file = labelled === undefined ? undefined : join(scratch.folder(), 'labelled.ndjson');
  if (file !== undefined) writeFileSync(file, labelled!);
  return makeGraph({ index, labelled: file, maxEdges: 10, minSem, models: {} });
}

it('refuses labelled queries that are none, and says in which line', async () => {
  const good = '{"query":"Who visited Warsaw?","action":"ANSWER","passages":["docs/a.txt"]}\n';
  for (const bad of [
    'no json',
    '{"query":1,"action":"ASK"}',
    '{"query":"x","action":"GUESS"}',
    '{"query":"x"}',
    '{"query":"x","action":"ANSWER","missing":["year"]}',
    '{"query":"x","answerable":false,"missing":["year"]}',
    '{"query":"x","action":"ASK","missing":"year"}',
    '{"query":"x","action":"ASK","missing":[]}',
    '{"query":"x","action":"ASK","missing":[" "]}',
    '{"query":"x","action":"ASK","missing":["more information"]}',
    '{"query":"x","action":"ASK","missing":["which year?"]}',
    '{"query":"x","action":"ASK","missing":["the \\"year\\""]}',
    '{"query":"x","action":"ASK","missing":["a\\nyear"]}',
    `{"query":"x","action":"ASK","missing":["${'year '.repeat(20)}"]}`,
  ]) {
    await expect(made(`${good}\n${bad}\n`)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('labelled.ndjson, line 3: '),
    });
  }
  await expect(made('{"query":"x","action":"ASK","passages":["gone.txt"]}')).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('no passage gone.txt'),
  });
});

it('names the line that is no UTF-8, and the file that cannot be read', async () => {
  await expect(made(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(/labelled\.ndjson, line 1: .*UTF-8/),
    hint: expect.stringContaining('iconv'),
  });
  const index = join(scratch.folder(), 'index');
  await buildIndex([scratch.folder({ 'a.txt': 'A text.\n' })], options(index));
  for (const labelled of [join(index, 'nowhere'), index]) {
    await expect(makeGraph({ index, labelled, maxEdges: 10, minSem: 0.5, models: {} })).rejects.toMatchObject(
      { code: 'NOT_FOUND', message: expect.stringContaining(labelled) },
    );
  }
});

it('takes labels as calibrations have them, behind a byte-order mark or not', async () => {
  // What is refused is the index, which another embedder made: the labels were read before.
  await expect(made('{"query":"x","action":"ASK","missing":["destination country"]}')).rejects.toMatchObject({
    code: 'INDEX_UNUSABLE',
  });
  for (const mark of ['', '\ufeff']) {
    const labelled = `${mark}{"id":"1","query":"x","answerable":false,"answers":[],"passages":["docs/a.txt"]}`;
    await expect(made(labelled)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  }
});

it('refuses a similarity that is none, a folder that is no index, and an index of another embedder', async () => {
  await expect(made(undefined, 1.5)).rejects.toMatchObject({ code: 'USAGE' });
  await expect(
    makeGraph({ index: scratch.folder(), labelled: undefined, maxEdges: 10, minSem: 0.5, models: {} }),
  ).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  await expect(made(undefined)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
});
