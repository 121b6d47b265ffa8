/** The first proposal where to look, where nothing was learned yet: public sets, each text in the folder of what it is about. */
import path from 'node:path';
import { sample, seededRandom } from '../../common/index.ts';
import { type Decision, openRouter } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { halfOf } from '../datasets/halves.ts';
import { indexOf } from '../datasets/index-of.ts';
import { loadSquadJson } from '../datasets/squad.ts';
import type { Dataset } from '../datasets/types.ts';

/** Of how many, how many are right. */
export interface Hits {
  good: number;
  of: number;
}

export interface PlacesReport {
  set: string;
  about: string;
  folders: number;
  questions: number;
  /** Asked back, with a folder proposed: that it is the question's own; that its own is among those to choose from. */
  proposed: Hits;
  offered: Hits;
  /** Answered from a folder that was taken and said: that it is the question's own. */
  taken: Hits;
  /** Both together, and beside them the folder of the passage that ranks first. */
  first: Hits;
  best: Hits;
  /** Answered without a word of folders: that all quotes are from the question's own. */
  unasked: Hits;
  /** Neither answered nor asked where to look. */
  otherwise: number;
}

export const PLACE_SETS = {
  'new-wiki': {
    about: 'SquadShifts new-wiki: 48 articles, each a folder, its paragraphs documents',
    file: 'squad/squadshifts-new_wiki-v1.0.json.gz',
  },
  policyqa: {
    about: 'PolicyQA dev: 20 privacy policies, each a folder, its paragraphs documents',
    file: 'policyqa/dev.json.gz',
  },
} as const;
export type PlaceSet = keyof typeof PLACE_SETS;

export interface PlacesOptions {
  data: string;
  cache: string;
  questions: number;
  seed: number;
  scorers: Scorers;
  say: (line: string) => void;
  signal: AbortSignal;
  /** A folder for a store. */
  folder: string;
  told: (questions: number) => void;
}

/**
 * Asks each question of a draw, from the half that no rule was fitted on, of a router that has learned nothing. Questions that name
 * their own folder are left out: then it is not looked for. Throws what loading, indexing and routing throw, and ABORTED.
 */
export async function firstPlaces(name: PlaceSet, options: PlacesOptions): Promise<PlacesReport> {
  const { data, cache, scorers, say, signal } = options;
  const { about, file } = PLACE_SETS[name];
  const set = await loadSquadJson(data, { name, about, file }, { titles: true });
  const documents = set.documents.map((document) => ({ ...document, docId: inFolder(document.docId) }));
  const index = await indexOf({ name: `places-${name}`, documents }, cache, scorers, say);
  const questions = drawn(set, options);
  const store = path.join(options.folder, `${name}.db`);
  const router = await openRouter({ index, scorers, defaults: { store, tenant: 'nobody' } });
  const report: PlacesReport = {
    ...{ set: name, about, folders: new Set(set.queries.map(({ group }) => group)).size },
    questions: questions.length,
    ...{ proposed: none(), offered: none(), taken: none(), first: none(), best: none(), unasked: none() },
    otherwise: 0,
  };
  const decided = new Map<string, Decision>();
  try {
    for (const [i, { id, query, group }] of questions.entries()) {
      // The same words of another policy are decided alike: each is asked by somebody of whom nothing is known.
      const known = decided.get(query);
      const decision = known ?? (await router.route({ id, query }, { tenant: `nobody ${i}`, signal }));
      decided.set(query, decision);
      count(report, decision, group);
      options.told(i + 1);
    }
  } finally {
    await router.close();
  }
  return report;
}

const none = (): Hits => ({ good: 0, of: 0 });

/** "Plato#3" is a document of the folder "Plato". */
const inFolder = (docId: string) => docId.replace(/#(\d+)$/, '/$1');

function drawn({ queries }: Dataset, { questions, seed }: PlacesOptions): Dataset['queries'] {
  const own = new Map(
    queries
      .filter(({ query, group }) => halfOf(group) === 'report' && !names(query, group))
      .map((one) => [JSON.stringify([one.group, one.query]), one]),
  );
  return sample([...own.values()], questions, seededRandom(seed));
}

/** Whether a question has a word of its folder's name. */
function names(query: string, folder: string): boolean {
  const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const asked = new Set(wordsOf(query));
  return wordsOf(folder.replaceAll('_', ' ')).some((word) => asked.has(word));
}

function count(report: PlacesReport, decision: Decision, own: string): void {
  const { action, clarification, defaults, evidence, answer } = decision;
  const hit = (hits: Hits, right: boolean) => {
    hits.of += 1;
    hits.good += Number(right);
  };
  const folderOf = (docId: string) => docId.slice(0, docId.lastIndexOf('/'));
  const use = defaults.find(({ default: { field } }) => field === 'where');
  if (use === undefined || (action !== 'ASK' && use.used === null)) {
    if (action !== 'ANSWER') report.otherwise += 1;
    else
      hit(
        report.unasked,
        (answer?.quotes ?? []).every(({ docId }) => folderOf(docId) === own),
      );
    return;
  }
  const proposed = use.used ?? clarification?.request?.proposedDefault ?? null;
  if (action === 'ASK') {
    hit(report.proposed, proposed === own);
    hit(report.offered, clarification?.request?.candidateValues.includes(own) === true);
  } else {
    hit(report.taken, proposed === own);
  }
  hit(report.first, proposed === own);
  hit(report.best, evidence[0] !== undefined && folderOf(evidence[0].docId) === own);
}
