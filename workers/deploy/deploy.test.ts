/** What is handed to container engines and to systemd, checked without either. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingsIn, understood, verified } from '../../cli/testing/deployment.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const UNIT = read('workers/deploy/pragaura-worker@.service');

interface Service {
  image: string;
  command: string[];
  ports?: string[];
  volumes?: (string | { target: string; read_only: boolean })[];
  healthcheck: { test: string[] };
  environment: Record<string, string>;
  stop_grace_period: string;
  depends_on: Record<string, { condition: string }>;
}
const COMPOSE = parse(read('docker-compose.yaml'), { merge: true }) as {
  services: Record<'valkey' | 'worker-1' | 'worker-2' | 'submit', Service>;
  volumes: Record<string, unknown>;
};

test('options of a made-up name or value are refused, so that the tests below can fail', async () => {
  await expect(understood(['worker', '--index=/index', '--threads-of-gold=1'])).rejects.toThrow();
  await expect(understood(['worker', '--index=/index', '--health-port=port'])).rejects.toThrow();
  await expect(understood(['worker'])).rejects.toThrow();
});

test.each(['worker-1', 'worker-2'] as const)('compose: the command line of %s', async (name) => {
  const service = COMPOSE.services[name];
  const args = await understood(service.command);
  expect(args._).toEqual(['worker']);
  // Where the port is published, where the health check looks, and what the worker listens on.
  const port = args.healthPort as number;
  expect(service.ports).toEqual([expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+:${port}$`))]);
  expect(args.healthHost).toBe('0.0.0.0');
  expect(service.healthcheck.test.join(' ')).toContain(`127.0.0.1:${port}/healthz`);
  expect(args.index).toBe('/index');
  expect(service.volumes).toEqual([expect.objectContaining({ target: '/index', read_only: true })]);
  expect(seconds(service.stop_grace_period)).toBeGreaterThan((args.drainTimeout as number) + 10);
  expect(service.environment.REDIS_URL).toMatch(
    /^redis:\/\/:\$\{PRAGAURA_REDIS_PASSWORD:\?.*\}@valkey:6379$/,
  );
  expect(service.depends_on).toEqual({ valkey: { condition: 'service_healthy' } });
});

test('compose: the command line of submit', async () => {
  expect(await understood(COMPOSE.services.submit.command)).toMatchObject({ _: ['submit'], wait: true });
});

test('compose: the workers differ in their published ports alone', () => {
  const { ports: first, ...one } = COMPOSE.services['worker-1'];
  const { ports: second, ...two } = COMPOSE.services['worker-2'];
  expect(one).toEqual(two);
  expect(first).not.toEqual(second);
});

test('compose: a Valkey that passes the checks at start', () => {
  const { command, volumes, ports } = COMPOSE.services.valkey;
  const settings = new Map<string, string>();
  for (let i = 1; i < command.length; i += 2) settings.set(command[i]!, command[i + 1]!);
  expect(Object.fromEntries(settings)).toMatchObject({
    '--appendonly': 'yes',
    '--appendfsync': 'everysec',
    '--maxmemory-policy': 'noeviction',
    '--requirepass': expect.stringMatching(/^\$\{PRAGAURA_REDIS_PASSWORD:\?/),
  });
  expect(volumes).toEqual(['valkey:/data']);
  expect(COMPOSE.volumes).toHaveProperty('valkey');
  expect(ports).toBeUndefined();
});

const settings = (section: string, key: string) => settingsIn(UNIT, section, key);

test('systemd: the command line of the worker', async () => {
  const [command] = settings('Service', 'ExecStart');
  const [binary, ...args] = command!.replaceAll('%i', '1').split(' ');
  expect(binary).toBe('/usr/local/bin/pragaura');
  const parsed = await understood(args);
  expect(parsed).toMatchObject({ _: ['worker'], healthPort: 9461, healthHost: '127.0.0.1' });
  expect(Number(settings('Service', 'TimeoutStopSec'))).toBeGreaterThan((parsed.drainTimeout as number) + 10);
});

test('systemd: what starting again cannot mend is not started again', () => {
  // Exit codes of USAGE, NO_INPUT and CONFIGURATION; 69, a Redis that is away, is tried again.
  expect(settings('Service', 'RestartPreventExitStatus')).toEqual(['2 66 78']);
  expect(settings('Service', 'Restart')).toEqual(['on-failure']);
});

test('systemd: where systemd-analyze is installed, it has nothing to say', () => {
  expect(verified('pragaura-worker@1.service', UNIT)).toBe('');
});

test('Dockerfile: what stands in the image is what is packed, and the packages', () => {
  const dockerfile = read('Dockerfile');
  expect(dockerfile).toMatch(/^RUN npm run pack && tar -xzf pragaura-\*\.tgz\b/m);
  const copied = [...dockerfile.matchAll(/^COPY --from=build (\S+) (\S+)$/gm)].map(([, from, to]) => [
    from,
    to,
  ]);
  expect(copied).toEqual([
    ['/app/node_modules', './node_modules'],
    ['/app/package', './'],
  ]);
});

function seconds(text: string): number {
  return Number(/^(\d+)s$/.exec(text)![1]);
}
