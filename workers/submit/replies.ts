/** Results as workers tell them, on a channel of one submitter. */
import { randomUUID } from 'node:crypto';
import { type RedisClient, resultFrom } from '../queue/index.ts';
import type { JobResult } from '../types.ts';

export interface Replies {
  /** For `SubmitterOptions.replyTo`. */
  channel: string;
  /** For `WaiterOptions.replies`. */
  listen(take: (result: JobResult) => void): void;
}

/** Listens on a channel of its own, by a connection that does nothing else. Null where Redis does not let us. */
export async function openReplies(client: RedisClient, queue: string): Promise<Replies | null> {
  const channel = `pragaura:${queue}:${randomUUID()}`;
  try {
    await client.subscribe(channel);
  } catch {
    return null;
  }
  return {
    channel,
    listen: (take) => {
      client.on('message', (_: string, text: string) => {
        try {
          take(resultFrom(text));
        } catch {
          // Looked up, it says what is wrong with it.
        }
      });
    },
  };
}
