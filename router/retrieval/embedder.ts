import { PragauraError } from '../../common/index.ts';
import type { Manifest } from '../../corpus/index.ts';
import type { ScorersInfo } from '../../scorers/index.ts';

/** Throws INDEX_UNUSABLE when the loaded embedder is not the one that made the index: their vectors do not compare. */
export function checkEmbedder(index: string, made: Manifest['embedder'], info: ScorersInfo): void {
  const here = info.models.embed;
  if (here?.sha256 === made.sha256) return;
  throw new PragauraError(
    'INDEX_UNUSABLE',
    `The index ${index} was made with the embedder ${shown(made)}, but ${here ? shown(here) : 'none'} is loaded: their vectors cannot be compared.`,
    { hint: 'Index the documents again with "pragaura index", or choose the embedder that made it.' },
  );
}

/** Two embedders can have one name: another version of a model, or one that is read in another way. */
function shown({ name, sha256 }: { name: string; sha256: string }): string {
  return `${name}@${sha256.slice(0, 12)}`;
}
