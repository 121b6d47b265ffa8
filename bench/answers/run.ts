import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeHash, sample, seededRandom } from '../../calibration/index.ts';
import { PragauraError } from '../../errors.ts';
import { type Explanation, openRouter, type Router } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { type DatasetName, loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import type { DataQuery } from '../datasets/types.ts';
import { concurrently } from '../measure/concurrently.ts';
import { machineLine } from '../measure/machine.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { type AnswerResult, render, reportOn } from './report.ts';

export interface AnswersOptions {
  set: DatasetName;
  data: string;
  out: string;
  cache: string;
  titles: boolean;
  /** Questions, a seeded sample; all when undefined. */
  limit: number | undefined;
  policy: 'act' | 'uniform';
}

const IN_FLIGHT = 8;

/** Extractive answers from the whole index to every question of a set, as text; also as JSON in `out`. */
export async function benchAnswers(options: AnswersOptions, say: (line: string) => void): Promise<string> {
  const dataset = await loadDataset(options.set, options.data, { titles: options.titles });
  const scorers = await openScorers({ jobs: ['embed'], announce: say });
  const index = await indexOf(dataset, options.cache, scorers, say).finally(() => scorers.close());
  const router = await openRouter({ index, policy: options.policy, announce: say });
  const questions = sample(dataset.queries, options.limit ?? dataset.queries.length, seededRandom(1));
  const versions = { ...router.versions, policy: options.policy, code: await codeHash() };
  const name = `answers-${options.set}-${options.policy}`;
  const file = await ResultsFile.open<AnswerResult>(options.out, name, versions);
  const progress = new Progress(name, questions.length, say);
  try {
    await concurrently(questions, IN_FLIGHT, async (question) => {
      const before = file.get(question.id);
      if (before === undefined) await file.add(await answer(router, question));
      progress.step(before !== undefined);
    });
  } finally {
    await Promise.all([file.close(), router.close()]);
  }
  const report = reportOn(
    dataset,
    questions.map(({ id }) => file.get(id)!),
  );
  await mkdir(options.out, { recursive: true });
  const where = path.join(options.out, `${name}.json`);
  const record = { schema: 'pragaura.bench-answers/1', machine: machineLine(), versions, ...report };
  await writeFile(where, `${JSON.stringify(record)}\n`);
  return [render(report), `policy: ${options.policy}`, machineLine(), `written: ${where}`].join('\n');
}

async function answer(router: Router, question: DataQuery): Promise<AnswerResult> {
  const { id } = question;
  let explanation: Explanation;
  try {
    explanation = await router.explain({ id, query: question.query });
  } catch (error) {
    // A question that failed is a result of its own kind; anything else is a defect of this program.
    if (PragauraError.isInstance(error)) return { id, error: error.code };
    throw error;
  }
  const { decision, candidate, candidates } = explanation;
  const gold = new Set(question.relevant.map(({ docId }) => docId));
  return {
    id,
    action: decision.action,
    reason: (decision.clarification ?? decision.abstention)?.reason ?? null,
    act: decision.act.label,
    confident: decision.act.confident,
    answer: decision.answer?.text ?? null,
    candidate: candidate?.text ?? null,
    U: decision.U,
    goldRead: candidates.some(({ docId }) => gold.has(docId)),
  };
}
