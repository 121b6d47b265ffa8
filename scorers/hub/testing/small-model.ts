/** A model of two small files on a hub of its own, for the tests of pulling. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type PullOptions, pull } from '../pull.ts';
import type { HubSettings } from '../settings.ts';
import { modelOf, REPO, TOKENIZER, WEIGHTS } from './scratch.ts';
import { HubServer, sha256 } from './server.ts';

export const FIRST = 'a'.repeat(40);
export const SECOND = 'b'.repeat(40);
export const weights = randomBytes(300_000);
export const newer = randomBytes(300_000);
export const tokenizer = Buffer.from('{"a": "small file"}');

export let hub: HubServer;
beforeAll(async () => {
  hub = await HubServer.start();
});
afterAll(() => hub.stop());
beforeEach(() => {
  hub.seen.length = 0;
  hub.faults = [];
  hub.repositories.set(REPO, {
    commits: {
      [FIRST]: { [WEIGHTS]: weights, [TOKENIZER]: tokenizer },
      [SECOND]: { [WEIGHTS]: newer, [TOKENIZER]: tokenizer },
    },
    refs: { main: FIRST, 'refs/pr/1': SECOND },
  });
});

export const folderOf = (settings: HubSettings) => join(settings.cacheDir, 'models--acme--small-model');
export const blobOf = (settings: HubSettings, name = sha256(weights)) =>
  join(folderOf(settings), 'blobs', name);
export const partialOf = (settings: HubSettings) => `${blobOf(settings)}.pragaura.incomplete`;
export const pointerOf = (settings: HubSettings, path = WEIGHTS, commit = FIRST) =>
  join(folderOf(settings), 'snapshots', commit, path);
/** By its hash: comparing large buffers byte by byte takes seconds. */
export const contentOf = (...args: Parameters<typeof pointerOf>) => sha256(readFileSync(pointerOf(...args)));
export const quick = (options: PullOptions = {}): PullOptions => ({
  retries: { tries: 3, firstDelayMs: 1, longestDelayMs: 1500 },
  ...options,
});
export const failure = (settings: HubSettings, named = modelOf(), options: PullOptions = {}) =>
  pull(named, settings, quick(options)).then(
    () => {
      throw new Error('was pulled');
    },
    (error: unknown) => error as { code: string; message: string; hint: string },
  );

export function partial(settings: HubSettings, content: Uint8Array): void {
  mkdirSync(dirname(partialOf(settings)), { recursive: true });
  writeFileSync(partialOf(settings), content);
}
