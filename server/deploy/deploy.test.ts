/** What is handed to systemd and to Kubernetes, checked without a cluster. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { settingsIn, understood, verified } from '../../cli/testing/deployment.ts';
import { packageVersion } from '../../common/index.ts';

const read = (name: string) => readFileSync(path.join(import.meta.dirname, name), 'utf8');
const UNIT = read('pragaura-serve.service');

test('systemd: the command line, and an end that is long enough', async () => {
  const [command] = settingsIn(UNIT, 'Service', 'ExecStart');
  const [binary, ...args] = command!.split(' ');
  expect(binary).toBe('/usr/local/bin/pragaura');
  const parsed = await understood(args);
  expect(parsed).toMatchObject({ _: ['serve'], host: '127.0.0.1', drainTimeout: 25 });
  expect(Number(settingsIn(UNIT, 'Service', 'TimeoutStopSec'))).toBeGreaterThan(25 + 10);
  // What it writes lies where it may write.
  const [state] = settingsIn(UNIT, 'Service', 'StateDirectory');
  expect(parsed.monitor).toBe(`/var/lib/${state}/monitor`);
  expect(settingsIn(UNIT, 'Service', 'LoadCredential')).toEqual(['keys.json:/etc/pragaura/keys.json']);
  expect(settingsIn(UNIT, 'Service', 'RestartPreventExitStatus')).toEqual(['2 66 78']);
});

test('systemd: where systemd-analyze is installed, it has nothing to say', () => {
  expect(verified('pragaura-serve.service', UNIT)).toBe('');
  expect(verified('pragaura-serve.service', UNIT.replace('Type=exec', 'Type=golden'))).not.toBe('');
});

interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  image: string;
  args: string[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  lifecycle: { preStop: { exec: { command: string[] } } };
  volumeMounts: { name: string; mountPath: string }[];
}

test('Kubernetes: the command line, probes that are answered, and an end that is long enough', async () => {
  const documents = parseAllDocuments(read('kubernetes.yaml'), { merge: true });
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const [deployment, service, budget] = documents.map((document) => document.toJS());
  expect([deployment, service, budget].map(({ kind }) => kind)).toEqual([
    'Deployment',
    'Service',
    'PodDisruptionBudget',
  ]);
  const { spec, metadata } = deployment.spec.template;
  const [container] = spec.containers as [Container];
  const args = await understood(container.args);
  expect(args).toMatchObject({ _: ['serve'], host: '0.0.0.0' });
  const mounted = (file: unknown) =>
    container.volumeMounts.some(({ mountPath }) => path.posix.join(String(file), '/').startsWith(mountPath));
  expect([args.keys, ...(args.index as string[])].map(mounted)).toEqual([true, true]);
  expect(container.image).toBe(`pragaura:${packageVersion()}`);
  expect(container.ports).toEqual([{ name: 'http', containerPort: args.port }]);
  expect(container.startupProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
  expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
  expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
  const slept = Number(/(\d+)\)$/.exec(container.lifecycle.preStop.exec.command.at(-1)!)![1]) / 1000;
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(slept + (args.drainTimeout as number) + 10);
  const { name } = service.spec.ports[0];
  expect(service.spec.ports).toEqual([{ name, port: 80, targetPort: 'http' }]);
  for (const labels of [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
  ]) {
    expect(metadata.labels).toMatchObject(labels);
  }
});
