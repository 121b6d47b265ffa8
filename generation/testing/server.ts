/** An OpenAI-compatible endpoint on this machine, with the faults that real ones have. Tests only. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request. */
export interface Reply {
  /** The answer's text, sent in pieces of `size` characters (default: words). */
  text?: string;
  size?: number;
  /** How it ends; null: the stream stops without saying so. Default "stop". */
  ending?: string | null;
  status?: number;
  headers?: Record<string, string>;
  /** Destroys the connection after so many pieces. */
  breakAfter?: number;
  /** Sends nothing more after so many pieces; 0: no headers either. */
  hangAfter?: number;
  /** Milliseconds before each piece. */
  pause?: number;
  /** A delta sent in the place of text: tool calls, a refusal. */
  delta?: object;
  /** Bytes written as they are in the place of a stream. */
  raw?: Buffer;
  /** Splits the bytes of the stream one by one, whatever they mean. */
  bytewise?: boolean;
}

export interface Asked {
  path: string;
  authorization: string | undefined;
  body: { model: string; max_tokens: number; stream: boolean; messages: { role: string; content: string }[] };
}

export class GeneratorServer {
  readonly asked: Asked[] = [];
  /** Taken one by one; the last serves all further requests. */
  replies: Reply[] = [];
  /** Replies to what is asked, in the place of `replies`. */
  replyTo: ((asked: Asked) => Reply) | null = null;
  /** Answers whose caller went away before their end. */
  left = 0;
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));

  /** Once it has been started. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.once('close', () => {
      if (!response.writableFinished) this.left += 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.asked.push({
      path: request.url!,
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    });
    const listed = () => (this.replies.length > 1 ? this.replies.shift()! : this.replies[0]!);
    const reply = this.replyTo === null ? listed() : this.replyTo(this.asked.at(-1)!);
    if (reply.hangAfter === 0) return;
    const status = reply.status ?? 200;
    if (status !== 200) {
      response.writeHead(status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify({ error: { message: `status ${status}`, type: 'test', code: null } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
    if (reply.raw !== undefined) {
      response.end(reply.raw);
      return;
    }
    await this.#stream(reply, response);
  }

  async #stream(reply: Reply, response: ServerResponse): Promise<void> {
    const { text = '', size, ending = 'stop', delta } = reply;
    const pieces =
      size === undefined
        ? (text.match(/\s*\S+/g) ?? [])
        : (text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []);
    const deltas: object[] = delta === undefined ? pieces.map((content) => ({ content })) : [delta];
    for (const [i, each] of [{ role: 'assistant', content: '' }, ...deltas].entries()) {
      if (reply.pause !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.pause));
      if (response.destroyed) return;
      if (i === reply.breakAfter) {
        response.destroy();
        return;
      }
      if (i === reply.hangAfter) return;
      await this.#send({ choices: [{ index: 0, delta: each, finish_reason: null }] }, reply, response);
    }
    if (ending !== null) {
      await this.#send({ choices: [{ index: 0, delta: {}, finish_reason: ending }] }, reply, response);
      await this.#send(
        { choices: [], usage: { prompt_tokens: 11, completion_tokens: deltas.length } },
        reply,
        response,
      );
      response.write('data: [DONE]\n\n');
    }
    response.end();
  }

  async #send(chunk: object, { bytewise }: Reply, response: ServerResponse): Promise<void> {
    const event = Buffer.from(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk })}\n\n`,
    );
    if (bytewise !== true) response.write(event);
    else
      for (const byte of event) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
  }
}
