import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP proxy on this machine that can be made as bad as a network. */
export interface BadWire {
  readonly port: number;
  /** Connections that are open through it. */
  readonly connections: number;
  /** Everything passes as it comes; connections that were made half-open stay so. */
  clear(): void;
  /** From now on every piece of `bytes` (all that came at once, by default) waits `delayMs` before it goes on. */
  slow(delayMs: number, bytes?: number): void;
  /**
   * What is open now carries nothing any more, in neither direction, and neither side is told: the wire is out, or a
   * firewall forgot. Connections made later work. Gives how many it struck.
   */
  halfOpen(): number;
  /** Resets what is open now; gives how many. */
  cut(): number;
  /** New connections are reset at once until `clear`, but for the first `after` (default 0). */
  refuse(after?: number): void;
  close(): Promise<void>;
}

interface Link {
  client: Socket;
  upstream: Socket;
  isDead: boolean;
}

interface Weather {
  delayMs: number;
  bytes: number;
  /** New connections that are still let through. */
  admitted: number;
}

const CLEAR: Weather = { delayMs: 0, bytes: Number.POSITIVE_INFINITY, admitted: Number.POSITIVE_INFINITY };

/** Listens on a free port of 127.0.0.1 and passes everything on to `target` there. */
export async function startBadWire(target: number): Promise<BadWire> {
  const links = new Set<Link>();
  let weather = { ...CLEAR };

  const server = createServer({ noDelay: true }, (client) => {
    if (weather.admitted === 0) {
      client.resetAndDestroy();
      return;
    }
    weather.admitted -= 1;
    const link: Link = {
      client,
      upstream: connect({ port: target, host: '127.0.0.1', noDelay: true }),
      isDead: false,
    };
    links.add(link);
    const end = () => {
      // The other end of a dead wire does not hear that this one has hung up.
      if (link.isDead && !(client.destroyed && link.upstream.destroyed)) return;
      links.delete(link);
      client.destroy();
      link.upstream.destroy();
    };
    for (const socket of [client, link.upstream]) {
      socket.on('error', () => {});
      socket.on('close', end);
    }
    void relay(client, link.upstream, link, () => weather);
    void relay(link.upstream, client, link, () => weather);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const alive = () => [...links].filter(({ isDead }) => !isDead);
  const destroy = (struck: readonly Link[]) => {
    for (const link of struck) {
      links.delete(link);
      link.client.resetAndDestroy();
      link.upstream.resetAndDestroy();
    }
    return struck.length;
  };
  return {
    port: (server.address() as { port: number }).port,
    get connections() {
      return alive().length;
    },
    clear() {
      weather = { ...CLEAR };
    },
    slow(delayMs, bytes = Number.POSITIVE_INFINITY) {
      weather = { ...CLEAR, delayMs, bytes };
    },
    halfOpen() {
      const struck = alive();
      for (const link of struck) link.isDead = true;
      return struck.length;
    },
    cut: () => destroy(alive()),
    refuse(after = 0) {
      weather = { ...CLEAR, admitted: after };
    },
    async close() {
      destroy([...links]);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One direction of a link, in order, with back-pressure. Ends quietly with the link. */
async function relay(from: Socket, to: Socket, link: Link, weather: () => Weather): Promise<void> {
  try {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        const { delayMs, bytes } = weather();
        const piece = chunk.subarray(at, Math.min(chunk.length, at + bytes));
        at += piece.length;
        if (delayMs > 0) await sleep(delayMs);
        if (link.isDead || to.destroyed) continue;
        if (!to.write(piece))
          await new Promise((resolve) => to.once('drain', resolve).once('close', resolve));
      }
    }
    if (!link.isDead) to.end();
  } catch {
    // Reset by one side: the `close` of the sockets clears up.
  }
}
