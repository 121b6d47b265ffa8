import { expect, it } from 'vitest';
import type { ScorersInfo } from '../../scorers/index.ts';
import { checkEmbedder } from './embedder.ts';

const check = (made: string, here: ScorersInfo['models']['embed']) => () =>
  checkEmbedder('i', { name: 'e', sha256: made.repeat(64), dimension: 2 }, {
    models: here === undefined ? {} : { embed: here },
  } as ScorersInfo);

it('takes the embedder that made the index, and tells apart two of one name', () => {
  expect(check('a', { name: 'e', sha256: 'a'.repeat(64) })).not.toThrow();
  expect(check('a', { name: 'e', sha256: 'b'.repeat(64) })).toThrow(
    expect.objectContaining({
      code: 'INDEX_UNUSABLE',
      message: expect.stringContaining('e@aaaaaaaaaaaa, but e@bbbbbbbbbbbb is loaded'),
    }),
  );
  expect(check('a', undefined)).toThrow(/but none is loaded/);
});
