/** bull-board over the queues, to look at and not to touch. */
import type { Queue } from 'bullmq';
import { loadPeer } from './optional-peer.ts';
import type { Handler } from './server.ts';

const HIDDEN = '(not shown)';

/** Fields of a job's data that no user wrote. */
function shown(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return HIDDEN;
  const { schema, configuration, generation, priority, submittedAt, deadlineAt } = data as Record<
    string,
    unknown
  >;
  return { schema, configuration, generation, priority, submittedAt, deadlineAt, query: HIDDEN };
}

const PEERS = ['@bull-board/api', '@bull-board/express'];

async function loadBoard() {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  return { createBullBoard, BullMQAdapter, ExpressAdapter };
}

/**
 * Loads bull-board; the function that comes back makes a handler for `path` and all under it. The board is read-only
 * and shows neither queries nor results. Throws CONFIGURATION when bull-board is not installed.
 */
export async function loadDashboard(
  path: string,
  load: typeof loadBoard = loadBoard,
): Promise<(queues: readonly Queue[]) => Handler> {
  const { createBullBoard, BullMQAdapter, ExpressAdapter } = await loadPeer('--dashboard', PEERS, load);
  return (queues) => {
    const server = new ExpressAdapter();
    server.setBasePath(path);
    const adapters = queues.map((queue) => {
      const adapter = new BullMQAdapter(queue, { readOnlyMode: true });
      adapter.setFormatter('data', shown);
      adapter.setFormatter('returnValue', () => HIDDEN);
      adapter.setFormatter('progress', () => HIDDEN);
      return adapter;
    });
    createBullBoard({
      queues: adapters,
      serverAdapter: server,
      options: { uiConfig: { boardTitle: 'pragaura' } },
    });
    const board = server.getRouter() as Handler;
    return (request, response) => {
      // The board knows its pages by their paths under its own.
      request.url = (request.url ?? path).slice(path.length) || '/';
      board(request, response);
    };
  };
}
