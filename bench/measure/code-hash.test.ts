import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { codeHash } from './code-hash.ts';

it('follows the code that decides and nothing beside it', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'pragaura-code-'));
  try {
    for (const room of ['router', 'profiles', 'scorers']) await mkdir(path.join(root, room));
    await mkdir(path.join(root, 'router', 'deep'));
    await writeFile(path.join(root, 'router', 'deep', 'a.js'), 'one');
    const first = await codeHash(root);
    await writeFile(path.join(root, 'router', 'a.test.js'), 'test');
    await writeFile(path.join(root, 'router', 'a.d.ts'), 'types');
    expect(await codeHash(root)).toBe(first);
    await writeFile(path.join(root, 'router', 'deep', 'a.js'), 'two');
    expect(await codeHash(root)).not.toBe(first);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
