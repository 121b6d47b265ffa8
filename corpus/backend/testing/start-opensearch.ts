/** A real OpenSearch on the loopback, of one node or several, for tests and measurements. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../common/testing/free-port.ts';

const VERSION = '3.5.0';
/** Where what Maven Central has is kept between runs. */
const CACHE = resolve('.pragaura/opensearch');
/** It refuses to run as root: then it runs as nobody. */
const NOBODY = 65_534;
const LEAST_JAVA = 21;
const PATIENCE_MS = 900_000;

export interface RunningEngine {
  /** As `--backend` has it. */
  backend: string;
  /** Of its first node. */
  url: string;
  nodes: readonly RunningNode[];
  stop(): Promise<void>;
}

export interface RunningNode {
  url: string;
  /** Process id. */
  pid(): number;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again over what it had, and waits until it answers. */
  start(): Promise<void>;
}

/** A Java that is new enough, by the files that say so. */
function javaHome(): string {
  const jvms = '/usr/lib/jvm';
  const homes = [
    process.env.JAVA_HOME ?? '',
    ...(existsSync(jvms) ? readdirSync(jvms) : []).map((name) => join(jvms, name)),
  ];
  for (const home of homes) {
    const release = join(home, 'release');
    if (home === '' || !existsSync(release)) continue;
    const version = /JAVA_VERSION="(\d+)/.exec(readFileSync(release, 'utf8'))?.[1];
    if (Number(version) >= LEAST_JAVA) return home;
  }
  throw new Error(
    `OpenSearch needs a JDK of version ${LEAST_JAVA} or newer: install one, and name it in JAVA_HOME.`,
  );
}

/** A file of Maven Central, fetched once. */
function fetched(artifact: string, file: string): string {
  const path = join(CACHE, file);
  if (!existsSync(path)) {
    mkdirSync(CACHE, { recursive: true });
    execFileSync(
      'mvn',
      ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${CACHE}`],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
  }
  return path;
}

/** The folder of the program with its k-NN plugin; PRAGAURA_OPENSEARCH names one that is there already. */
function programFolder(java: string): string {
  const given = process.env.PRAGAURA_OPENSEARCH;
  if (given !== undefined) return given;
  // Not in the repository: whoever it runs as may have to be let in.
  const home = join(tmpdir(), `pragaura-opensearch-${VERSION}`);
  if (existsSync(home)) return home;
  const zip = fetched(
    `org.opensearch.distribution.integ-test-zip:opensearch:${VERSION}:zip`,
    `opensearch-${VERSION}.zip`,
  );
  const plugin = fetched(
    `org.opensearch.plugin:opensearch-knn:${VERSION}.0:zip`,
    `opensearch-knn-${VERSION}.0.zip`,
  );
  const fresh = mkdtempSync(`${home}-`);
  const unpack = (file: string, into: string) => {
    mkdirSync(into, { recursive: true });
    execFileSync(join(java, 'bin/jar'), ['xf', file], { cwd: into });
  };
  unpack(zip, fresh);
  const unpacked = join(fresh, `opensearch-${VERSION}`);
  unpack(plugin, join(unpacked, 'plugins/opensearch-knn'));
  execFileSync('chmod', ['-R', 'a+rX', fresh]);
  execFileSync('chmod', ['-R', 'a+rx', join(unpacked, 'bin')]);
  try {
    renameSync(unpacked, home);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(home)) throw error;
  }
  rmSync(fresh, { recursive: true, force: true });
  return home;
}

/**
 * Starts a cluster and waits until its nodes answer and have found each other. `timed`: for measurements of how fast it is, with
 * all of its compiler; without, a start takes half of the processor time. `heapMiB`: of each node. Throws where it cannot be had, or ends, with
 * the end of what it said.
 */
export async function startOpenSearch({
  nodes = 1,
  timed = false,
  heapMiB = 512,
} = {}): Promise<RunningEngine> {
  const java = javaHome();
  const program = programFolder(java);
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-engine-'));
  chmodSync(folder, 0o755);
  const places = await Promise.all(
    Array.from({ length: nodes }, async (_, i) => ({
      name: `node-${i + 1}`,
      http: await freePort(),
      transport: await freePort(),
    })),
  );
  const names = places.map(({ name }) => name).join(',');
  const seeds = places.map(({ transport }) => `127.0.0.1:${transport}`).join(',');
  const together =
    nodes === 1
      ? { 'discovery.type': 'single-node' }
      : { 'discovery.seed_hosts': seeds, 'cluster.initial_cluster_manager_nodes': names };
  const all = places.map(({ name, http, transport }) =>
    nodeIn(join(folder, name), http, {
      java,
      program,
      options: `-Xms${heapMiB}m -Xmx${heapMiB}m${timed ? '' : ' -XX:TieredStopAtLevel=1'}`,
      settings: { ...together, 'node.name': name, 'transport.port': transport },
    }),
  );
  const stop = async () => {
    await Promise.all(all.map((node) => node.end('SIGTERM')));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(all.map((node) => node.start()));
    const { url } = all[0]!;
    await untilTrue(async () => {
      const reply = await fetch(`${url}/_cluster/health?wait_for_nodes=${nodes}&timeout=10s`);
      return ((await reply.json()) as { timed_out?: boolean }).timed_out === false;
    });
    return { backend: `opensearch=${all.map((node) => node.url).join(',')}`, url, nodes: all, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Node extends RunningNode {
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A node that lies in `folder`; nothing runs yet. */
function nodeIn(
  folder: string,
  port: number,
  {
    java,
    program,
    options,
    settings,
  }: { java: string; program: string; options: string; settings: Record<string, string | number> },
): Node {
  const config = join(folder, 'config');
  mkdirSync(folder);
  execFileSync('cp', ['-r', join(program, 'config'), config]);
  // Logs of the garbage collector and of crashes go into the program's own folder, which is not ours to write.
  const jvm = join(config, 'jvm.options');
  const kept = readFileSync(jvm, 'utf8').split('\n');
  writeFileSync(jvm, kept.filter((line) => line.startsWith('#') || !line.includes('logs/')).join('\n'));
  const own = {
    ...settings,
    'network.host': '127.0.0.1',
    'http.port': port,
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    // The disk of whoever runs this is not what it is about.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
  writeFileSync(
    join(config, 'opensearch.yml'),
    Object.entries(own)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chownSync(folder, NOBODY, NOBODY);
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, config]);
  }
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  let said = '';
  const end = async (signal: NodeJS.Signals) => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((done) => void child!.once('exit', () => done()));
    child.kill(signal);
    await ended;
  };
  return {
    url,
    pid: () => child!.pid!,
    end,
    kill: () => end('SIGKILL'),
    async start() {
      child = spawn('bash', [join(program, 'bin/opensearch')], {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          OPENSEARCH_JAVA_HOME: java,
          OPENSEARCH_PATH_CONF: config,
          OPENSEARCH_JAVA_OPTS: options,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(isRoot && { uid: NOBODY, gid: NOBODY }),
      });
      const started = child;
      for (const stream of [started.stdout, started.stderr]) {
        stream?.on('data', (chunk: Buffer) => {
          said = (said + chunk.toString()).slice(-4_000);
        });
      }
      await untilTrue(async () => {
        if (started.exitCode !== null || started.signalCode !== null)
          throw new Error(`OpenSearch does not start: ${said}`);
        return (await fetch(url).catch(() => null))?.ok === true;
      });
    },
  };
}

/** Looks until it is so. Throws what looking throws, and an error after `PATIENCE_MS`. */
async function untilTrue(look: () => Promise<boolean>): Promise<void> {
  for (const began = Date.now(); !(await look()); await sleep(250)) {
    if (Date.now() - began > PATIENCE_MS) throw new Error('OpenSearch does not come up.');
  }
}
