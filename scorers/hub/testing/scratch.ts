/** Settings and models for tests: everything in one folder that goes away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { LockedModel, Named } from '../../runtime/registry.ts';
import type { HubSettings } from '../settings.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-hub-'));
  folders.push(folder);
  return folder;
}

export function settingsFor(endpoint: string, more: Partial<HubSettings> = {}): HubSettings {
  const folder = scratch();
  return {
    endpoint,
    cacheDir: join(folder, 'hub'),
    trustFile: join(folder, 'state', 'trusted-models.json'),
    token: undefined,
    offline: null,
    idleMs: 10_000,
    ...more,
  };
}

export const REPO = 'acme/small-model';
export const WEIGHTS = 'onnx/model.onnx';
export const TOKENIZER = 'tokenizer.json';

/** A model of the hub with nothing known of its files but what `more` says. */
export function modelOf(more: Partial<LockedModel> = {}): Named {
  return {
    name: 'small-model',
    model: {
      title: 'A model',
      revision: 'main',
      licence: 'none',
      card: 'https://hub.example/acme/small-model',
      hub: REPO,
      weights: { path: WEIGHTS },
      tokenizer: { path: TOKENIZER },
      maxTokens: 128,
      batching: 'single',
      jobs: {},
      ...more,
    },
  };
}
