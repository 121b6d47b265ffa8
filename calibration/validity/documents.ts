import { seededRandom } from '../../common/index.ts';
import { asNumber, parseLevel } from '../levels/level.ts';
import { documentIn, documentsAmong } from '../splits/documents.ts';
import { calibrateActs } from '../thresholds/calibrate-acts.ts';
import type { Exchangeable, Pool, Scored, Untuned } from '../thresholds/types.ts';
import type { Example } from '../types.ts';
import {
  alike,
  type DocumentWorld,
  drawDocuments,
  truthOfDocuments,
  UNLIKE,
  uneven,
} from './document-worlds.ts';
import { type Finding, meanWithin, violations } from './findings.ts';

const RISK = parseLevel('0.1');
const DELTA = parseLevel('0.1');
const ASK = parseLevel('0.3');
/** Just above the level: wherever the threshold lies, passing is a violation. */
const EDGE = asNumber(RISK) + 1e-9;

const ONE_TO_THREE = [1, 2, 3];
const SINGLE = { target: 'risk', scope: 'global', level: RISK, delta: DELTA } as const;
const FAMILY = { target: 'risk', level: RISK, delta: DELTA } as const;

/** What is promised where documents are exchangeable and questions on one of them are not independent. */
export function documentFindings(trials: number): Finding[] {
  const few = Math.ceil(trials / 4);
  const joint = { ...SINGLE, target: 'joint', ask: ASK } as const;
  return [
    ...coverage(few, 11, '0.8', 'documents'),
    ...coverage(few, 40, '0.9', 'documents'),
    ...coverage(few, 11, '0.8', 'questions'),
    risk('a fifth has all errors, 10 questions each, 60 documents', few, uneven(EDGE, 0.2, [10]), 60, SINGLE),
    risk(
      'one in eight has all errors, 1 to 3 questions',
      few,
      uneven(EDGE, 0.125, ONE_TO_THREE),
      150,
      SINGLE,
    ),
    risk('all just above the level, 20 questions each', few, alike({ base: EDGE }), 60, SINGLE),
    risk('all just above, one question each', few, alike({ base: EDGE, sizes: [1] }), 100, SINGLE),
    risk('all just above, tune without errors', few, alike({ base: EDGE }), 60, SINGLE, alike({})),
    risk('risk falls with U', few, alike({ base: 0.2, slope: -0.19 }), 60, SINGLE),
    risk('unlike documents, one threshold', few, UNLIKE, 100, SINGLE),
    risk('unlike documents, every pool', few, UNLIKE, 150, FAMILY),
    risk('joint: and silence <= 30 %, unlike documents', few, UNLIKE, 100, joint),
    risk('joint: and silence, documents alike', few, alike({ skew: 2, closed: 0.29 }), 100, joint),
    risk('(none) by questions, a fifth has all errors', few, uneven(EDGE, 0.2, [10]), 60, {
      ...SINGLE,
      exchangeable: 'questions',
    }),
    versions(Math.max(300, few), 'documents'),
    versions(Math.max(300, few), 'groups'),
  ];
}

/** Thirty documents, each in five versions: by documents what is promised, by groups what came of counting versions. */
function versions(trials: number, counted: 'documents' | 'groups'): Finding {
  const world = alike({ base: EDGE, sizes: [1, 2] });
  const random = seededRandom(30);
  const draw = (count: number, name: string) =>
    inVersions(drawDocuments(world, count, random, name), 5)[counted];
  const finding = violations(
    'new documents: risk <= 10 %',
    `${counted === 'groups' ? '(none) ' : ''}all just above, 30 documents in 5 versions, by ${counted}`,
    trials,
    DELTA,
    () => calibrateActs(draw(30, ''), { ...SINGLE, tune: draw(15, 'tune ') }).global.risk?.tau != null,
  );
  return counted === 'groups' ? { ...finding, holds: null } : finding;
}

/** Mean coverage of a question of a new document, pool by pool; by questions nothing is promised of it. */
function coverage(trials: number, count: number, text: string, exchangeable: Exchangeable): Finding[] {
  const level = parseLevel(text);
  const random = seededRandom(count);
  const realised = new Map<string, number[]>();
  for (let trial = 0; trial < trials; trial++) {
    const items = drawDocuments(UNLIKE, count, random);
    const { pools } = calibrateActs(items, { target: 'coverage', level, exchangeable, least: 0 });
    for (const { acts, coverage: found } of pools) {
      if (found?.tau == null || acts.length === 2) continue;
      const own = realised.get(String(acts)) ?? [];
      own.push(truthOfDocuments(UNLIKE, acts, found.tau).answered);
      realised.set(String(acts), own);
    }
  }
  return [...realised].map(([pool, values]) => {
    const found = meanWithin(
      `${exchangeable === 'questions' ? '(none) ' : ''}new documents: mean coverage of ${pool}`,
      `unlike documents, by ${exchangeable}, ${count} of them, level ${text}`,
      values,
      asNumber(level),
      1,
    );
    return exchangeable === 'questions' ? { ...found, holds: null } : found;
  });
}

function risk(
  name: string,
  trials: number,
  world: DocumentWorld,
  count: number,
  request: Untuned,
  tuneWorld: DocumentWorld = world,
): Finding {
  const random = seededRandom(count + name.length);
  let passed = 0;
  const finding = violations(
    'new documents: risk <= 10 %',
    name,
    trials,
    DELTA,
    () => {
      const tune = drawDocuments(tuneWorld, Math.ceil(count / 2), random, 'tune ');
      const found = calibrateActs(drawDocuments(world, count, random), { ...request, tune });
      if (found.pools.some((pool) => pool.risk?.tau != null)) passed++;
      return found.pools.some((pool) => breaks(world, pool));
    },
    () => `a threshold in ${((100 * passed) / trials).toFixed(0)} %`,
  );
  return request.exchangeable === 'questions' ? { ...finding, holds: null } : finding;
}

function breaks(world: DocumentWorld, { acts, risk: found, silence }: Pool): boolean {
  if (found?.tau != null && truthOfDocuments(world, acts, found.tau).risk > asNumber(RISK)) return true;
  return silence?.askUpTo != null && truthOfDocuments(world, acts, silence.askUpTo).silence > asNumber(ASK);
}

/**
 * Every document in `times` versions with a group of its own each, in which all is as in the first: what labels of a
 * manual in five releases look like. The versions of every other document are tied by a document that their labels name,
 * those of the rest by what is asked. `groups`: as if versions were documents; `documents`: as they are counted.
 */
function inVersions(items: readonly Scored[], times: number): { groups: Scored[]; documents: Scored[] } {
  const names = [...new Set(items.map(({ group }) => group!))];
  const placeOf = new Map(names.map((name, place) => [name, place]));
  const copies = items.flatMap((item, place) =>
    Array.from({ length: times }, (_, version) => {
      const byName = placeOf.get(item.group!)! % 2 === 0;
      const example: Example = {
        id: `${place} ${version}`,
        query: byName ? `q${place}v${version}` : `q${place}`,
        group: `${version} ${item.group}`,
        ...(byName ? { passages: [`${item.group}#${version}`] } : {}),
      };
      return { item, example };
    }),
  );
  const documents = documentsAmong(copies.map(({ example }) => example));
  return {
    groups: copies.map(({ item, example }) => ({ ...item, group: example.group })),
    documents: copies.map(({ item, example }) => ({ ...item, group: documentIn(documents, example) })),
  };
}
