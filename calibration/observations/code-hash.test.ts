import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { codeHash } from './code-hash.ts';

it('follows the code that decides and nothing beside it', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'pragaura-code-'));
  try {
    for (const room of ['common', 'corpus', 'conversation', 'router', 'profiles', 'scorers', 'weights'])
      await mkdir(path.join(root, room));
    await mkdir(path.join(root, 'router', 'deep'));
    await writeFile(path.join(root, 'router', 'deep', 'a.js'), 'one');
    const first = await codeHash(root, [path.join(root, 'weights')]);
    await writeFile(path.join(root, 'router', 'a.test.js'), 'test');
    await writeFile(path.join(root, 'router', 'a.d.ts'), 'types');
    expect(await codeHash(root, [path.join(root, 'weights')])).toBe(first);
    const without = () => codeHash(root, [path.join(root, 'weights')], ['router'], /^deep\//);
    const exempted = await without();
    await writeFile(path.join(root, 'weights', 'weights.bin'), 'w');
    const second = await codeHash(root, [path.join(root, 'weights')]);
    expect(second).not.toBe(first);
    const weighed = await without();
    expect(weighed).not.toBe(exempted);
    await writeFile(path.join(root, 'router', 'deep', 'a.js'), 'two');
    expect(await without()).toBe(weighed);
    expect(await codeHash(root, [path.join(root, 'weights')])).not.toBe(second);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
