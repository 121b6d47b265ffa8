/** Server-sent events as the answer to a request. */
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { toLine } from '../common/index.ts';

export const EVENT_STREAM = 'text/event-stream';

/** Nothing is sent before the first event: what goes wrong until then is told by a status of its own. */
export class EventStream {
  readonly #reply: FastifyReply;
  readonly #events = new PassThrough();
  #begun = false;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** An event with a record; of the type "message" where none is named. To a caller who has gone it sends nothing. */
  send(record: object, event?: string): void {
    this.#write(`${event === undefined ? '' : `event: ${event}\n`}data: ${toLine(record)}\n`);
  }

  /** Ends the stream, after a last line that is no record where one is given. */
  end(last?: string): void {
    if (last !== undefined) this.#write(`data: ${last}\n\n`);
    this.#events.end();
  }

  #write(text: string): void {
    // A proxy that collects what passes would hold the events back.
    if (!this.#begun) this.#reply.header('x-accel-buffering', 'no').type(EVENT_STREAM).send(this.#events);
    this.#begun = true;
    if (!this.#events.destroyed) this.#events.write(text);
  }
}
