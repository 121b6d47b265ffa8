import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeHash, concurrently, exactMatch } from '../../calibration/index.ts';
import { boundedLogit, PragauraError, sample, seededRandom } from '../../common/index.ts';
import { openRouter, type Router } from '../../router/index.ts';
import { openScorers, TUNING } from '../../scorers/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { loadSquadJson } from '../datasets/squad.ts';
import type { DataQuery } from '../datasets/types.ts';
import { machineLine } from '../measure/machine.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { share, table } from '../measure/table.ts';
import { fitWeights, gateAt, type SpanRead, type Worth, worthOf, worthOfFitting } from './fit.ts';

export interface TuningOptions {
  /** SQuAD JSON of questions that the reader was not trained on. */
  questions: string;
  out: string;
  cache: string;
  limit: number | undefined;
  modelsDir: string | undefined;
}

const IN_FLIGHT = 4;
const GATES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5];
/** Of the passages with a right span, a topical gate may lose this share. */
const LOSS = 0.01;

/** Of one question: what the reader made of each passage that it read. */
interface ReadQuestion {
  id: string;
  spans: Omit<SpanRead, 'question' | 'group'>[];
}

/**
 * Fits the constants of `answerScore` for the models that are the default: every question goes the way of a query over
 * the whole index, and every best span that was read is an item. Text; also as JSON in `out`. Throws NOT_FOUND when the
 * questions cannot be read, INVALID_INPUT when no span was right, or none wrong.
 */
export async function benchTuning(options: TuningOptions, say: (line: string) => void): Promise<string> {
  const models = options.modelsDir === undefined ? {} : { modelsDir: options.modelsDir };
  const { dir, base: file } = path.parse(path.resolve(options.questions));
  const set = { name: 'tuning', about: 'questions that the reader was not trained on', file };
  const dataset = await loadSquadJson(dir, set, { titles: true }).catch((error) => {
    if (!(error instanceof PragauraError) || error.code !== 'NOT_FOUND') throw error;
    throw new PragauraError('NOT_FOUND', `The questions of ${options.questions} cannot be read.`, {
      hint: 'Say --questions FILE: what "python -m pragtrain.untrained --out FILE" in scorers/training wrote.',
      cause: error.cause,
    });
  });
  const scorers = await openScorers({ jobs: ['embed'], announce: say, ...models });
  const index = await indexOf(dataset, options.cache, scorers, say).finally(() => scorers.close());
  const router = await openRouter({ index, announce: say, ...models });
  const questions = sample(dataset.queries, options.limit ?? dataset.queries.length, seededRandom(1));
  const versions = { ...router.versions, code: await codeHash() };
  const kept = await ResultsFile.open<ReadQuestion>(options.out, 'tuning', versions);
  const progress = new Progress('tuning', questions.length, say);
  try {
    await concurrently(questions, IN_FLIGHT, async (question) => {
      const before = kept.get(question.id);
      if (before === undefined) await kept.add(await readings(router, question));
      progress.step(before !== undefined);
    });
  } finally {
    await Promise.all([kept.close(), router.close()]);
  }
  const spans = questions.flatMap(({ id, relevant }) =>
    kept.get(id)!.spans.map((span): SpanRead => ({ ...span, question: id, group: relevant[0]!.docId })),
  );
  const right = spans.filter((span) => span.right).length;
  if (right === 0 || right === spans.length) {
    throw new PragauraError('INVALID_INPUT', `Of ${spans.length} spans ${right} are right: nothing to fit.`, {
      hint: 'Take more questions.',
    });
  }
  const fitted = fitWeights(spans);
  const worth = { before: worthOf(spans, TUNING), after: worthOfFitting(spans) };
  const gates = GATES.map((relevance) => gateAt(spans, relevance));
  const topic = gates.findLast(({ rightLost }) => rightLost !== null && rightLost <= LOSS)?.relevance ?? null;
  const n = { questions: questions.length, spans: spans.length, right };
  const where = path.join(options.out, 'tuning.json');
  await mkdir(options.out, { recursive: true });
  const record = {
    schema: 'pragaura.bench-tuning/1',
    machine: machineLine(),
    versions,
    n,
    fitted,
    worth,
    gates,
  };
  await writeFile(where, `${JSON.stringify(record)}\n`);
  const { relevanceWeight, marginWeight, offset } = fitted;
  return [
    `${n.questions} questions, ${n.spans} spans read, ${n.right} right (${router.versions.models.read ?? ''})`,
    table(
      ['', 'log loss', 'AUROC', 'best span right'],
      [row('constants as they are', worth.before), row('fitted, on groups left out', worth.after)],
    ),
    `relevanceWeight: ${relevanceWeight.toFixed(3)}, marginWeight: ${marginWeight.toFixed(3)}, offset: ${offset.toFixed(2)}`,
    table(
      ['topical gate', 'passages with a right span that it loses', 'others that it keeps out'],
      gates.map((gate) => [`${gate.relevance}`, share(gate.rightLost), share(gate.othersKeptOut)]),
    ),
    `topicRelevance: ${topic ?? 'none'} (the highest that loses at most ${LOSS})`,
    machineLine(),
    `written: ${where}`,
  ].join('\n');
}

function row(name: string, { logLoss, auroc, chosen }: Worth): string[] {
  return [name, logLoss.toFixed(4), share(auroc), share(chosen)];
}

async function readings(router: Router, question: DataQuery): Promise<ReadQuestion> {
  const { candidates } = await router.explain({ id: question.id, query: question.query });
  const spans = candidates.flatMap(({ relevance, reading, margin }) =>
    relevance === null || reading === null || margin === null
      ? []
      : [
          {
            // A score that has rounded to 0 or 1 counts as far as the others go.
            relevance: boundedLogit(relevance, 1e-9),
            margin,
            right: exactMatch(reading, question.answers) === 1,
          },
        ],
  );
  return { id: question.id, spans };
}
