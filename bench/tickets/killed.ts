/** A process that takes tickets all the way into the index, one after the other, until it is killed; says each step as it is on the log. */
import { AuditLog, ensureSigningKey, type Principal } from '../../governance/index.ts';
import { Knowledge } from '../../knowledge/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { accessOf, PEOPLE, textOf, whenFree } from './world.ts';

const [index, file, docId, seed] = process.argv.slice(2) as [string, string, string, string];
const who = (id: string): Principal => PEOPLE.find((each) => each.id === id && each.via === 'token')!;

const scorers = await openScorers({ announce: () => {} });
const log = await AuditLog.open({ file, key: ensureSigningKey(`${file}.key`) });
const append = log.append.bind(log);
log.append = async (event) => {
  const seq = await append(event);
  process.stdout.write(`${event.kind}\n`);
  return seq;
};
const knowledge = await Knowledge.open({ index, access: accessOf(), log, scorers: async () => scorers });
process.stdout.write('ready\n');
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
