import { type Random, randomInteger, seededRandom } from '../../common/index.ts';
import type { MeasuredAnswer } from '../factuality/answers.ts';
import { fitFactuality } from '../factuality/fit.ts';
import { parseLevel } from '../levels/level.ts';
import { type Finding, meanWithin } from './findings.ts';

/**
 * Answers of `sentences` sentences. A document is one of `kinds`, each as likely; a sentence of it is not borne out with
 * that probability, and has then a support that is uniform on [0, 1], rounded up to j / `steps` where that is not null.
 */
interface AnswerWorld {
  kinds: readonly number[];
  sentences: number;
  steps: number | null;
}

/** P(no sentence of a new document's answer that is not borne out has more support than `threshold`), in closed form. */
function wholeAt({ kinds, sentences }: AnswerWorld, threshold: number): number {
  return kinds.reduce((sum, wrong) => sum + (1 - wrong * (1 - threshold)) ** sentences, 0) / kinds.length;
}

function drawAnswers(
  world: AnswerWorld,
  documents: number,
  answersOf: (random: Random) => number,
  random: Random,
): MeasuredAnswer[] {
  return Array.from({ length: documents }, (_, document) => {
    const wrong = world.kinds[randomInteger(random, world.kinds.length)]!;
    return Array.from({ length: answersOf(random) }, (): MeasuredAnswer => {
      const sentences = Array.from({ length: world.sentences }, () => {
        const v = random();
        const support = world.steps === null ? v : Math.ceil(v * world.steps) / world.steps;
        return { support, supported: random() >= wrong };
      });
      return { act: null, group: String(document), sentences };
    });
  }).flat();
}

/** What conformal factuality promises, in worlds where the share of wholly supported answers is known in closed form. */
export function factualityFindings(trials: number): Finding[] {
  const plain: AnswerWorld = { kinds: [0.2], sentences: 4, steps: null };
  const unlike: AnswerWorld = { kinds: [0.02, 0.5], sentences: 3, steps: null };
  const one = () => 1;
  return [
    ...(['0.05', '0.1', '0.2'] as const).map((level) =>
      finding(trials, plain, { level, documents: 100, answersOf: one, seed: 41, exact: true }),
    ),
    finding(trials, { ...plain, steps: 5 }, { level: '0.1', documents: 100, answersOf: one, seed: 42 }),
    finding(trials, unlike, {
      level: '0.1',
      documents: 100,
      answersOf: (random) => 1 + randomInteger(random, 9),
      seed: 43,
    }),
  ];
}

function finding(
  trials: number,
  world: AnswerWorld,
  {
    level,
    documents,
    answersOf,
    seed,
    exact = false,
  }: {
    level: string;
    documents: number;
    answersOf: (random: Random) => number;
    seed: number;
    exact?: boolean;
  },
): Finding {
  const random = seededRandom(seed);
  const values = Array.from({ length: trials }, () => {
    const answers = drawAnswers(world, documents, answersOf, random);
    const { global } = fitFactuality(answers, {
      level: parseLevel(level),
      scope: 'global',
      exchangeable: 'documents',
    });
    return wholeAt(world, global.coverage!.tau!);
  });
  const least = 1 - Number(level);
  const rank = Math.ceil((documents + 1) * least - 1e-9) / (documents + 1);
  const shape = `${world.kinds.length} kinds of documents, ${documents} of them${world.steps === null ? '' : ', support in steps'}`;
  return meanWithin(
    `factuality: all that is kept is borne out, level ${level}`,
    shape,
    values,
    exact ? rank : least,
    exact ? rank : 1,
  );
}
