/** What a change would do, measured before people decide on it. */
import { discardStaged, openIndex } from '../../corpus/index.ts';
import { asking, filesIn, stage, type Workplace } from '../applying/staging.ts';
import { passagesBetween, strayDocuments } from '../applying/verification.ts';
import type { Assessment, Ticket } from '../tickets/ticket.ts';
import { touched } from '../tickets/ticket.ts';
import { contradictionsOf } from './contradictions.ts';
import { newSentences } from './difference.ts';
import { differencesOf } from './differences.ts';
import { type Canary, changedOf, replay, strayOf } from './replay.ts';
import { readProof, trustOf } from './trust.ts';

/** `earlier`: other tickets of the same proposer. Throws what indexing, the models and `Router.route` throw. */
export async function assess(
  workplace: Workplace,
  ticket: Ticket,
  earlier: readonly Ticket[],
  questions: readonly Canary[],
): Promise<Omit<Assessment, 'at' | 'by'>> {
  const { index, store } = workplace;
  const scorers = await workplace.scorers();
  const now = await openIndex(index);
  const differences = await differencesOf(store, ticket, now);
  const proofs = await Promise.all(
    ticket.proof.map(async (file) => ({ name: file.name, bytes: await store.bytesOf(file) })),
  );
  const proof = await readProof(proofs, (text) => scorers.countTokens(text));
  const sentences = [ticket.claim, ...differences.flatMap(newSentences)];
  const staged = await stage(workplace, ticket);
  try {
    const then = await openIndex(index, staged.generation);
    const replayed =
      questions.length === 0
        ? []
        : await asking(workplace, staged.generation, true, (after, before) =>
            replay(questions, before!, after),
          );
    const changed = changedOf(replayed);
    const contradictions = await contradictionsOf(
      [...new Set(sentences)],
      now,
      new Set(touched(ticket)),
      scorers,
    );
    const { gone, come } = passagesBetween(now, then);
    const compared = contradictions.compared.map(({ docId }) => docId);
    const quoted = (side: 'before' | 'after') =>
      changed.flatMap((each) => each[side].quotes.map(({ docId }) => docId));
    return {
      index: now.manifest.hash,
      trust: await trustOf(ticket, earlier, proof, scorers),
      contradictions,
      chunks: { gone: gone.length, come: come.length },
      replayed: replayed.length,
      changed,
      files: { ...filesIn(then, quoted('after')), ...filesIn(now, [...compared, ...quoted('before')]) },
      problems: [...staged.problems, ...strayDocuments(ticket, now, then), ...strayOf(replayed, changed)],
    };
  } finally {
    discardStaged(index);
  }
}
