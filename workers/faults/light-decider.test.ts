import { expect, it } from 'vitest';
import { withoutClocks } from '../../common/index.ts';
import { Decision } from '../../router/index.ts';
import { lightDecider, POISON } from './light-decider.ts';

const query = (id: string) => ({ id, query: 'Who wrote it?' });

it('decides alike for the same query, otherwise for another query or variant, in the shape of a decision', async () => {
  const [one, other] = [lightDecider({ meanMs: 1, variant: 'a' }), lightDecider({ meanMs: 0, variant: 'a' })];
  const line = async (decider: typeof one, id: string) =>
    withoutClocks(JSON.stringify(await decider.route(query(id), {})));
  expect(one.configuration).toBe(other.configuration);
  expect(await line(one, 'a')).toBe(await line(other, 'a'));
  expect(await line(one, 'a')).not.toBe(await line(one, 'b'));
  const variant = lightDecider({ meanMs: 0, variant: 'b' });
  expect(variant.configuration).not.toBe(one.configuration);
  expect((await variant.route(query('a'), {})).U).not.toBe((await one.route(query('a'), {})).U);
  for (let i = 0; i < 20; i++) {
    const decision = await other.route(query(`q${i}`), {});
    // In the order of the schema: what parses and prints it again changes no byte.
    expect(JSON.stringify(Decision.parse(decision))).toBe(JSON.stringify(decision));
  }
  expect(Decision.parse(one.expired(query('a'))).abstention?.reason).toBe('DEADLINE_EXCEEDED');
});

it('fails as the router does: poison for good, a dead thread with what was in flight', async () => {
  const decider = lightDecider({ meanMs: 10_000, variant: 'a' });
  await expect(
    lightDecider({ meanMs: 0, variant: 'a' }).route({ id: 'p', query: `${POISON}x` }, {}),
  ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const dying = decider.route(query('a'), {});
  expect(decider.failInFlight()).toBe(1);
  await expect(dying).rejects.toMatchObject({ code: 'SCORING_FAILED' });
  const cancelled = decider.route(query('a'), { signal: AbortSignal.abort() });
  await expect(cancelled).rejects.toMatchObject({ code: 'ABORTED' });
  expect(decider.failInFlight()).toBe(0);
});
