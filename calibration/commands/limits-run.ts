/** Limits of collections, from queries to a file of layers. */
import { jsonOf } from '../../cli/index.ts';
import { PragauraError, parseAs, table, writeWholeFile } from '../../common/index.ts';
import { type RouterArguments, routerOptionsFrom } from '../../router/commands/options.ts';
import { collectionOf, LayerSettings, openRouter, type Router } from '../../router/index.ts';
import { answerableOf, documentOf } from '../labels/examples.ts';
import { loadLabelled } from '../labels/load.ts';
import { type Distances, type FittedLimit, fitLimit, LEAST_ANSWERED, LEAST_QUERIES } from '../limits/fit.ts';
import { concurrently } from '../observations/concurrently.ts';
import type { Example } from '../types.ts';

export interface LimitsArguments extends RouterArguments {
  queries: string;
  layers: string | undefined;
  out: string;
}

const IN_FLIGHT = 4;
/** In tables: the collection of documents whose ids begin with no folder, for which the limit for all holds. */
const NO_FOLDER = 'all others';

/**
 * Fits the limits, writes them where `out` says, and tells them in a table. Throws what reading queries, settings and index throws,
 * and INVALID_INPUT where no collection has enough queries for one.
 */
export async function runLimits(
  args: LimitsArguments,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const examples = await loadLabelled(args.queries);
  const given = args.layers === undefined ? {} : layersOf(args.layers);
  const router = await openRouter(routerOptionsFrom(args, say));
  try {
    const fits: FittedLimit[] = [];
    for (const [collection, docIds] of collectionsOf(router)) {
      fits.push(fitLimit(collection, await distances(router, docIds, examples, signal)));
    }
    const own = fits.filter(({ distance }) => distance !== null);
    if (own.length === 0) throw tooFew(args.queries, fits);
    const { collections = {}, ...layers } = given;
    const whole = own.find(({ collection }) => collection === NO_FOLDER);
    const fitted = Object.fromEntries(
      own
        .filter((fit) => fit !== whole)
        .map(({ collection, distance }) => [collection, { ...collections[collection], distance }]),
    );
    const settings = {
      ...layers,
      ...(whole && { distance: { ...layers.distance, limit: whole.distance } }),
      collections: { ...collections, ...fitted },
    };
    await writeWholeFile(args.out, `${JSON.stringify(settings, null, 2)}\n`, 'Name a file with --out.');
    return `${rendered(fits)}\n\nwritten: ${args.out}\n`;
  } finally {
    await router.close();
  }
}

/** As they are written: what they leave out stays left out. */
function layersOf(file: string): Partial<LayerSettings> {
  const example = '{"distance": {"limit": 0.7}}';
  const given = jsonOf(file, 'layers', example);
  parseAs(LayerSettings, `For example ${example}`)(given);
  return given as Partial<LayerSettings>;
}

/** Documents of each folder; records that lie in none are one collection together. */
function collectionsOf({ documents }: Router): Map<string, string[]> {
  const collections = new Map<string, string[]>();
  for (const { docId } of documents) {
    const name = docId.includes('/') ? collectionOf(docId) : NO_FOLDER;
    const own = collections.get(name);
    if (own === undefined) collections.set(name, [docId]);
    else own.push(docId);
  }
  return collections;
}

/** How far each query is from the nearest passage of a collection. */
async function distances(
  router: Router,
  docIds: readonly string[],
  examples: readonly Example[],
  signal: AbortSignal,
): Promise<Distances[]> {
  const isAll = docIds.length === router.documents.length;
  const filters = isAll ? undefined : { docId: [...docIds] };
  const own = new Set(docIds);
  const rows: Distances[] = [];
  await concurrently(examples, IN_FLIGHT, async (example) => {
    signal.throwIfAborted();
    const [nearest] = await router.rank('dense', { query: example.query, filters }, 1, signal);
    if (nearest === undefined) return;
    rows.push({ distance: 1 - nearest.score, answered: isAnsweredBy(example, own, isAll) });
  });
  return rows;
}

/** Without a passage it is told of an index that is one collection alone. */
function isAnsweredBy(example: Example, docIds: ReadonlySet<string>, isAll: boolean): boolean {
  if (answerableOf(example) !== true) return false;
  const { passages = [] } = example;
  if (passages.length === 0) return isAll;
  return passages.some((id) => docIds.has(id) || docIds.has(documentOf(id)));
}

function tooFew(file: string, fits: readonly FittedLimit[]): PragauraError {
  const most = fits.reduce((a, b) => (b.answered > a.answered ? b : a));
  return new PragauraError(
    'INVALID_INPUT',
    `${file} has ${most.queries} queries, ${most.answered} of them known to be answered from ${most.collection}: too few for a limit.`,
    {
      hint: `It takes ${LEAST_QUERIES}, ${LEAST_ANSWERED} of them with "passages"; "pragaura label" makes some.`,
    },
  );
}

function rendered(fits: readonly FittedLimit[]): string {
  const { limit } = LayerSettings.parse({}).distance;
  return table(
    ['collection', 'queries', 'known to be answered', 'limit', 'queries beyond', 'of those answered'],
    fits.map(({ collection, queries, answered, distance, beyond, answeredBeyond }) => [
      collection,
      String(queries),
      String(answered),
      distance === null ? `${limit} (too few queries)` : String(distance),
      distance === null ? '' : String(beyond),
      distance === null ? '' : String(answeredBeyond),
    ]),
  );
}
