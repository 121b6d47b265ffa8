import { afterEach, expect, it, vi } from 'vitest';
import type { Principal } from '../principals/index.ts';
import { labelsFrom } from './labels.ts';
import { parsePolicy } from './policy.ts';
import { Views } from './views.ts';

const POLICY = `
@id("own") permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("all") };
@id("staff") permit (principal in Role::"staff", action == Action::"read", resource is Document);
@id("cleared") permit (principal, action == Action::"read", resource is Document)
  when { resource has clearance && resource.clearance <= principal.clearance && principal.clearance > 0 };
@id("outdated") forbid (principal, action == Action::"read", resource is Document)
  when { resource has validTo && resource.validTo <= context.now };
`;
const documents = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [`d${i}`, i === 0 ? { tags: ['all'] } : { clearance: i }]),
);
const access = {
  policy: parsePolicy(POLICY, 'policy.cedar'),
  labels: labelsFrom(
    {
      schema: 'pragaura.labels/1',
      documents: { ...documents, late: { tags: ['all'], validTo: '2026-06-01' } },
    },
    'labels.json',
  ),
};
const ids = [...Object.keys(documents), 'late'];
const all = ids.map((docId) => ({ docId, source: docId }));
const who = (clearance: number, roles: string[] = [], id = 'ann'): Principal => ({
  id,
  roles: ['public', ...roles],
  via: 'token',
  clearance,
});

/** Views whose routers say what they can see, and whether they are closed. */
function opened(fails = () => false) {
  const routers: { seen: string[]; closed: boolean }[] = [];
  const views = new Views(access, all, async (readable) => {
    const router = { seen: ids.filter((docId) => readable({ docId })), closed: false };
    if (fails()) throw new Error('cannot be opened');
    routers.push(router);
    return {
      ...router,
      close: async () => {
        router.closed = true;
      },
    };
  });
  return { views, routers };
}

afterEach(() => {
  vi.useRealTimers();
});

it('is one for all that may read the same, and none for who may read everything', async () => {
  vi.useFakeTimers({ now: new Date('2026-01-01') });
  const { views, routers } = opened();
  const [ann, bob] = [views.of(who(0))!, views.of(who(0, [], 'bob'))!];
  expect(ann).toBe(bob);
  await ann.opening;
  expect(routers.map(({ seen }) => seen)).toEqual([['d0', 'late']]);
  expect(views.of(who(0, ['staff']))).toBeNull();
});

it('goes by the time: what is valid no more is seen for ten seconds at most', async () => {
  vi.useFakeTimers({ now: new Date('2026-05-31T23:59:55Z') });
  const { views, routers } = opened();
  await views.of(who(0))!.opening;
  vi.setSystemTime(new Date('2026-06-01T00:00:06Z'));
  await views.of(who(0))!.opening;
  expect(routers.map(({ seen }) => seen)).toEqual([['d0', 'late'], ['d0']]);
});

it('keeps eight at most that nobody uses, and closes none that somebody does', async () => {
  vi.useFakeTimers({ now: new Date('2026-01-01') });
  const { views, routers } = opened();
  const held = views.of(who(1))!;
  for (let clearance = 2; clearance <= 10; clearance += 1) {
    const view = views.of(who(clearance))!;
    await view.opening;
    views.release(view);
  }
  await vi.runAllTimersAsync();
  const open = routers.filter(({ closed }) => !closed);
  expect(open).toHaveLength(8);
  expect(open[0]!.seen).toEqual(['d0', 'd1', 'late']);
  await views.close();
  expect(routers.filter(({ closed }) => !closed)).toHaveLength(1);
  views.release(held);
  await vi.runAllTimersAsync();
  expect(routers.every(({ closed }) => closed)).toBe(true);
});

it('that cannot be opened is tried again by whoever asks next', async () => {
  let fails = true;
  const { views } = opened(() => fails);
  const first = views.of(who(0))!;
  await expect(first.opening).rejects.toThrow('cannot be opened');
  views.release(first);
  fails = false;
  await expect(views.of(who(0))!.opening).resolves.toBeDefined();
});
