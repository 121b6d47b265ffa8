/** The same questions by way of a queue, to a worker that goes by a policy; and jobs that were changed on the way to it. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import {
  type Access,
  ensureSigningKey,
  labelsFrom,
  type Principal,
  PUBLIC,
  parsePolicy,
} from '../../governance/index.ts';
import type { Decision, Query, Router } from '../../router/index.ts';
import { CHANGES, type House, jobOf } from '../../workers/faults/changed-jobs.ts';
import { connectRedis, disconnectRedis, Lane, QueueStore } from '../../workers/queue/index.ts';
import type { JobResult } from '../../workers/types.ts';
import { deciderOf, openWorker } from '../../workers/worker/index.ts';

const POLICY = `
permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("open") };
permit (principal in Role::"owner", action == Action::"read", resource is Document);
`;
const OWNER: Principal = { id: 'owner', roles: ['public', 'owner'], via: 'token', clearance: 0 };
const KINDS = Object.keys(CHANGES);
const LOOK_MS = 5;

export interface QueueAsked {
  /** What the worker decides for one who may read only what is not hidden. */
  decided(query: Query): Promise<Decision>;
  /** Sends a job of the same, changed so that it would be the owner's; whether it was decided. `which` goes through the changes. */
  deceived(query: Query, which: number): Promise<boolean>;
  close(): Promise<void>;
}

/** A worker over the whole index. `folder`: for keys. Throws QUEUE_UNAVAILABLE. */
export async function openQueue(
  redis: string,
  folder: string,
  whole: Router,
  isHidden: (docId: string) => boolean,
  view: (readable: (document: { docId: string }) => boolean) => Promise<Router>,
): Promise<QueueAsked> {
  const open = whole.documents.filter(({ docId }) => !isHidden(docId));
  const access: Access = {
    policy: parsePolicy(POLICY, 'policy.cedar'),
    labels: labelsFrom(
      {
        schema: 'pragaura.labels/1',
        documents: Object.fromEntries(open.map(({ docId }) => [docId, { tags: ['open'] }])),
      },
      'labels.json',
    ),
  };
  const keyOf = (name: string) => ensureSigningKey(path.join(folder, name));
  const [key, stranger] = [keyOf('queue.key'), keyOf('stranger.key')];
  const decider = deciderOf(whole, { governed: { access, submitters: [key], view } });
  const { configuration } = decider;
  const house: House = { configuration, key, stranger, guest: PUBLIC, owner: OWNER };
  const queue = `access-${randomUUID()}`;
  const client = await connectRedis(redis, 'producer');
  const lane = new Lane({ client, queue, configuration });
  const store = new QueueStore(client, queue);
  const worker = await openWorker({ redis, queue, decider });
  let dead = 0;
  /** Once it is decided, refused, or a dead letter without a result. */
  const ended = async (jobId: string): Promise<JobResult | null> => {
    for (;;) {
      const [result] = await store.lookUp([jobId]);
      if (result) return result;
      const { dead: now } = await lane.counts();
      if (now > dead) return (await store.lookUp([jobId]))[0] ?? null;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const sent = async (job: ReturnType<typeof jobOf>) => {
    ({ dead } = await lane.counts());
    await lane.add([{ ...job, priority: 1 }], { attempts: 1, backoffMs: 1 });
    return ended(job.jobId);
  };
  return {
    decided: async (query) => {
      const result = await sent(jobOf({ ...query, id: randomUUID() }, house.guest, house));
      return { ...result!.decision!, id: query.id };
    },
    deceived: async (query, which) => {
      const job = jobOf({ ...query, id: randomUUID() }, house.guest, house);
      const result = await sent(CHANGES[KINDS[which % KINDS.length]!]!(job, house));
      return result?.decision !== undefined;
    },
    close: async () => {
      await worker.drain(0);
      await lane.close();
      await disconnectRedis(client);
    },
  };
}
