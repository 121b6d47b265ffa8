/** The shipped models once more, as a hub would have them. Tests only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultModelsDir } from '../../runtime/registry.ts';
import { type AnyLock, CROSS, EMBEDDER, modelsDir } from '../../runtime/testing/models-dir.ts';
import type { HubServer, Repository } from './server.ts';

export const HUB_CROSS = 'hub-cross';
export const HUB_REPO = 'acme/cross-encoder';
export const COMMIT = 'd'.repeat(40);
export const HUB_FILES = { weights: 'onnx/model.onnx', tokenizer: 'tokenizer.json', config: 'config.json' };
const CONFIG = { id2label: { 0: 'ENTAILMENT', 1: 'neutral', 2: 'contradiction' } };

const shipped = (path: string): Buffer => readFileSync(join(defaultModelsDir(), path));
export const crossWeights = (): Buffer => shipped(`${CROSS}/model.int8.onnx`);
export const embedderWeights = (): Buffer => shipped(`${EMBEDDER}/model.int8.onnx`);

/** A models folder whose lock file has the cross-encoder a second time, in a repository and with no hash known. */
export function withHubModel(change: (model: AnyLock) => void = () => {}): string {
  return modelsDir((lock) => {
    const { weights, tokenizer, config } = HUB_FILES;
    lock.models[HUB_CROSS] = {
      ...structuredClone(lock.models[CROSS]),
      card: 'https://hub.example/acme/cross-encoder',
      hub: HUB_REPO,
      revision: 'main',
      weights: { path: weights },
      tokenizer: { path: tokenizer },
      config: { path: config },
    };
    change(lock.models[HUB_CROSS]);
  });
}

/** Puts the repository on a hub, some files replaced. */
export function offer(hub: HubServer, files: Record<string, Uint8Array> = {}): Repository {
  const { weights, tokenizer, config } = HUB_FILES;
  const repository: Repository = {
    commits: {
      [COMMIT]: {
        [weights]: crossWeights(),
        [tokenizer]: shipped('bert-uncased/tokenizer.json'),
        [config]: Buffer.from(JSON.stringify(CONFIG)),
        ...files,
      },
    },
    refs: { main: COMMIT },
  };
  hub.repositories.set(HUB_REPO, repository);
  return repository;
}
