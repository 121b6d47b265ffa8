import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';
import { openReaders, readerNamed, readersNamed } from './readers.ts';

describe('readerNamed', () => {
  it.each([
    ['whole', 'whole', undefined],
    ['halves@models', 'halves', 'models'],
    ['halves@../a/b', 'halves', '../a/b'],
    ['halves@/srv/me@work/models', 'halves', '/srv/me@work/models'],
  ])('%s', (text, name, modelsDir) => {
    expect(readerNamed(text)).toEqual({ label: text, name, modelsDir });
  });

  it.each(['', '@models', 'halves@'])('refuses "%s"', (text) => {
    expect(() => readerNamed(text)).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('NAME@DIR') }),
    );
  });
});

describe('readersNamed', () => {
  it('keeps their order, and takes one name from two folders', () => {
    const readers = readersNamed(['b', 'a', 'b@x', 'b@y']);
    expect(readers.map(({ label }) => label)).toEqual(['b', 'a', 'b@x', 'b@y']);
  });

  it.each([[[]], [['a']]])('refuses %j as too few', (texts) => {
    expect(() => readersNamed(texts)).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('at least twice') }),
    );
  });

  it.each([[['a', 'a']], [['a@x', 'b', 'a@./y/../x']]])('refuses one twice in %j', (texts) => {
    expect(() => readersNamed(texts)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('openReaders', () => {
  it.each([
    ['no-such-reader', 'CONFIGURATION', 'there is no model "no-such-reader"'],
    ['pragaura-embedder', 'CONFIGURATION', 'cannot rerank'],
    ['pragaura-cross-encoder@/nowhere', 'MODEL_UNUSABLE', '/nowhere/models.lock.json'],
  ])('says of %s what the registry says', async (text, code, message) => {
    await expect(openReaders([readerNamed(text)], 1, () => {})).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

it.each([
  [[], 'Which readers?'],
  [['--reader', 'pragaura-cross-encoder'], 'fewer than two'],
  [['--reader', 'a', '--reader', 'a'], 'the same reader'],
  [['--reader', 'a', '--reader', 'b', '--set', 'articles'], 'no data set'],
  [['--reader', 'a', '--reader', 'b', '-n', '1'], 'at least 2'],
])('the command refuses %j', async (args, part) => {
  const { code, stdout, stderr } = await runCli(['bench', 'models', ...args]);
  expect(stderr).toContain(part);
  expect([code, stdout]).toEqual([2, '']);
});
