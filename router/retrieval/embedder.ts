import { PragauraError } from '../../common/index.ts';
import type { CorpusIndex } from '../../corpus/index.ts';
import type { ScorersInfo } from '../../scorers/index.ts';

/** Throws INDEX_UNUSABLE when the loaded embedder is not the one that made the index: their vectors do not compare. */
export function checkEmbedder(index: Pick<CorpusIndex, 'dir' | 'manifest'>, info: ScorersInfo): void {
  const made = index.manifest.embedder;
  const here = info.models.embed;
  if (here?.sha256 === made.sha256) return;
  throw new PragauraError(
    'INDEX_UNUSABLE',
    `The index ${index.dir} was made with the embedder ${shown(made)}, but ${here ? shown(here) : 'none'} is loaded: their vectors cannot be compared.`,
    { hint: `Run "pragaura index PATH… --out ${index.dir}" again, or choose the embedder that made it.` },
  );
}

/** Two embedders can have one name: another version of a model, or one that is read in another way. */
function shown({ name, sha256 }: { name: string; sha256: string }): string {
  return `${name}@${sha256.slice(0, 12)}`;
}
