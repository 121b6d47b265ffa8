import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from './testing/scratch.ts';
import { distrust, trust, trusted } from './trust.ts';

const address = (path: string) => ({ repo: 'acme/model', revision: 'main', path });
const file = (path: string, digit: string) => ({
  ...address(path),
  bytes: 1,
  sha256: digit.repeat(64),
  commit: 'c'.repeat(40),
});

it("what is known already is another's, and a content that differs is refused with all that came with it", async () => {
  const at = join(scratch(), 'trusted.json');
  expect(await trust(at, [file('a', '1')])).toEqual([file('a', '1')]);
  expect(await trust(at, [file('a', '1'), file('b', '2')])).toEqual([file('b', '2')]);
  await expect(trust(at, [file('c', '3'), file('a', '9')])).rejects.toMatchObject({ code: 'MODEL_UNUSABLE' });
  expect(await trusted(at, address('a'))).toMatchObject({ sha256: '1'.repeat(64) });
  expect(await trusted(at, address('c'))).toBeUndefined();
});

it('only the content that was recorded is forgotten', async () => {
  const at = join(scratch(), 'trusted.json');
  await trust(at, [file('a', '1'), file('b', '2')]);
  await distrust(at, [file('a', '9'), file('b', '2'), file('c', '3')]);
  expect(await trusted(at, address('a'))).toMatchObject({ sha256: '1'.repeat(64) });
  expect(await trusted(at, address('b'))).toBeUndefined();
});
