/** A process that takes tickets all the way into the index, one after the other, until it is killed; says each step as it is on the log. */
import { openScorers } from '../../scorers/index.ts';
import { openTickets, textOf, whenFree, who } from './world.ts';

const [index, file, docId, seed] = process.argv.slice(2) as [string, string, string, string];

const scorers = await openScorers({ announce: () => {} });
const { knowledge, log } = await openTickets(index, file, scorers);
const append = log.append.bind(log);
log.append = async (event) => {
  const seq = await append(event);
  process.stdout.write(`${event.kind}\n`);
  return seq;
};
for (let round = 0; ; round += 1) {
  const bytes = Buffer.from(textOf(docId, `round ${round} of ${seed}`));
  const { id } = await knowledge.propose(who('ann'), {
    claim: 'It is otherwise.',
    put: [{ id: docId, bytes }],
  });
  await knowledge.submit(who('ann'), id);
  await whenFree(() => knowledge.triage(who('bob'), id));
  await knowledge.approve(who('bob'), id, '');
  await knowledge.approve(who('Ann'), id, '');
  if (round % 2 === 1) await knowledge.schedule(who('reg'), id, new Date());
  await whenFree(() => knowledge.apply(who('reg'), id));
}
