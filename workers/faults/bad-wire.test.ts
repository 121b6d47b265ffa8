import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BadWire, startBadWire } from './bad-wire.ts';

let echo: Server;
let proxy: BadWire;
const sockets: Socket[] = [];

beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await startBadWire((echo.address() as { port: number }).port);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

async function open(): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

async function echoed(socket: Socket, text: string): Promise<string> {
  let got = '';
  socket.on('data', (data) => {
    got += data;
  });
  socket.write(text);
  while (got.length < text.length) await once(socket, 'data');
  return got;
}

/** `once` of node:events would reject with the reset that is wanted here. */
const closing = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

it('passes megabytes through unchanged, slow in pieces as well', async () => {
  const text = 'abcdefghij'.repeat(300_000);
  expect((await echoed(await open(), text)) === text).toBe(true);
  proxy.slow(1, 500_000);
  expect((await echoed(await open(), text)) === text).toBe(true);
});

it('delays when it is slow and no longer once it is clear', async () => {
  const socket = await open();
  await echoed(socket, 'warm');
  proxy.slow(50);
  const start = performance.now();
  await echoed(socket, 'x');
  expect(performance.now() - start).toBeGreaterThan(95);
  proxy.clear();
  // The best of many: a busy machine delays some of them as well.
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 50 && least >= 95; i += 1) {
    const again = performance.now();
    await echoed(socket, 'y');
    least = Math.min(least, performance.now() - again);
  }
  expect(least).toBeLessThan(95);
});

it('makes what is open half-open for good, and lets new connections work', async () => {
  const socket = await open();
  await echoed(socket, 'a');
  expect(proxy.halfOpen()).toBe(1);
  let heard = false;
  for (const event of ['data', 'close', 'end']) socket.on(event, () => (heard = true));
  socket.write('b');
  expect(await echoed(await open(), 'c')).toBe('c');
  await sleep(100);
  expect(heard).toBe(false);
  expect(proxy.connections).toBe(1);
});

it('cuts what is open, and refuses until it is clear', async () => {
  const socket = await open();
  await echoed(socket, 'a');
  const closed = closing(socket);
  expect(proxy.cut()).toBe(1);
  await closed;
  proxy.refuse();
  const refused = connect(proxy.port, '127.0.0.1').on('error', () => {});
  await closing(refused);
  proxy.clear();
  expect(await echoed(await open(), 'b')).toBe('b');
});
