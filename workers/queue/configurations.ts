/** Which configuration a submitter means. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError } from '../../common/index.ts';
import type { Announcement, QueueStore } from './store.ts';

/** A worker that has said nothing for so long is gone. */
const GONE_MS = 20_000;

/** Workers that were heard of lately. */
export async function liveWorkers(
  store: Pick<QueueStore, 'announced' | 'compareClocks' | 'now'>,
): Promise<Announcement[]> {
  await store.compareClocks();
  return (await store.announced()).filter(({ seenAt }) => store.now() - seenAt < GONE_MS);
}

/**
 * The configuration that is meant: `wanted` (its 64 digits, or its first ones where a worker announced it), or else the
 * only one that live workers have, or that there ever was. Throws USAGE when that is none or several.
 */
export async function configurationIn(
  store: Pick<QueueStore, 'announced' | 'compareClocks' | 'configurations' | 'now'>,
  wanted: string | undefined,
): Promise<string> {
  if (wanted !== undefined && !/^[0-9a-f]{8,64}$/.test(wanted)) {
    throw new PragauraError('USAGE', '--configuration takes at least 8 hexadecimal digits.', { hint: HINT });
  }
  if (wanted?.length === 64) return wanted;
  const live = [...new Set((await liveWorkers(store)).map(({ configuration }) => configuration))];
  const all = [...(await store.configurations()).keys()];
  const fitting = (some: string[]) => some.filter((configuration) => configuration.startsWith(wanted ?? ''));
  const found = fitting(live).length > 0 ? fitting(live) : fitting(all);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new PragauraError(
      'USAGE',
      wanted === undefined
        ? 'No worker has announced itself on this queue, so that nobody knows which configuration is meant.'
        : `No worker of this queue has announced a configuration that begins with ${wanted}.`,
      { hint: HINT },
    );
  }
  const names = found.map((configuration) => configuration.slice(0, 16)).join(', ');
  throw new PragauraError('USAGE', `Workers of several configurations serve this queue: ${names}.`, {
    hint: 'Say which one is meant: --configuration HASH; "pragaura queue status" tells what they are made of.',
  });
}

/**
 * Looks every `LOOK_MS` until a live worker has the configuration that begins with `wanted`, or any where that is
 * undefined. Throws NO_WORKER after `ms` milliseconds and ABORTED.
 */
export async function untilServed(
  live: () => Promise<readonly Pick<Announcement, 'configuration'>[]>,
  wanted: string | undefined,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<void> {
  const until = performance.now() + ms;
  const served = async () =>
    (await live()).some(({ configuration }) => configuration.startsWith(wanted ?? ''));
  while (!(await served())) {
    if (signal.aborted) throw new PragauraError('ABORTED', 'Stopped while waiting for a worker.');
    const left = until - performance.now();
    if (left <= 0) {
      const which = wanted === undefined ? '' : ` of the configuration ${wanted.slice(0, 16)}`;
      throw new PragauraError(
        'NO_WORKER',
        `No worker${which} has announced itself on this queue within ${ms / 1000} s.`,
        {
          hint: 'Start one ("pragaura worker --index DIR") on the same --redis and --queue, or wait longer.',
        },
      );
    }
    await sleep(Math.min(LOOK_MS, left), undefined, { signal }).catch(() => {});
  }
}

const LOOK_MS = 250;
const HINT =
  'Start a worker ("pragaura worker --index DIR") on the same --redis and --queue, or say --configuration with the 64 digits that a worker prints when it starts.';
