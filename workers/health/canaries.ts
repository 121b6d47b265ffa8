/** Queries that a worker decides before it takes any job. Loading a model has checked its known pairs already. */
import { isDeepStrictEqual } from 'node:util';
import { PragauraError } from '../../common/index.ts';
import { Decision, type Router } from '../../router/index.ts';

const QUESTIONS = ['What is this collection about?', 'How many documents are there?'];

/** What must not depend on when or beside what a query was decided. */
function repeatable({ timings: _, receipt, ...decision }: Decision) {
  return {
    ...decision,
    receipt: {
      budget: receipt.budget,
      spent: { ...receipt.spent, ms: 0 },
      stages: receipt.stages.map((stage) => ({ ...stage, ms: 0 })),
    },
  };
}

/**
 * Decides an empty query, which must be refused as such, and two questions, each twice at once, which must come out
 * the same and fit the schema. Which decision it is depends on the index and is not judged. Throws MODEL_UNUSABLE.
 */
export async function runCanaries(router: Pick<Router, 'route'>): Promise<void> {
  const empty = await router.route({ id: 'canary-empty', query: '' });
  if (empty.action !== 'ABSTAIN' || empty.abstention?.reason !== 'EMPTY_QUERY') {
    throw failed('an empty query was not refused');
  }
  await Promise.all(
    QUESTIONS.map(async (query, i) => {
      const asked = { id: `canary-${i}`, query };
      const [first, second] = await Promise.all([router.route(asked), router.route(asked)]);
      if (!Decision.safeParse(first).success) throw failed('a decision does not fit its schema');
      if (!isDeepStrictEqual(repeatable(first), repeatable(second))) {
        throw failed('one question got two different decisions');
      }
    }),
  );
}

function failed(what: string): PragauraError {
  return new PragauraError('MODEL_UNUSABLE', `A canary failed: ${what}.`, {
    hint: '"pragaura doctor" looks at models, providers and index one by one.',
  });
}
