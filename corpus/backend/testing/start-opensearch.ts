/** A real OpenSearch of one node for the tests that need one. */
import { execFileSync, spawn } from 'node:child_process';
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
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSION = '3.5.0';
/** Where what Maven Central has is kept between runs. */
const CACHE = resolve('.pragaura/opensearch');
/** It refuses to run as root: then it runs as nobody. */
const NOBODY = 65_534;
const LEAST_JAVA = 21;
const PATIENCE_MS = 300_000;

export interface RunningEngine {
  /** As `--backend` has it. */
  backend: string;
  url: string;
  stop(): Promise<void>;
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => void server.close(done));
  return port;
}

/** Starts one and waits until it answers. Throws where it cannot be had, or ends, with the end of what it said. */
export async function startOpenSearch(): Promise<RunningEngine> {
  const java = javaHome();
  const program = programFolder(java);
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-engine-'));
  const [http, transport] = [await freePort(), await freePort()];
  const config = join(folder, 'config');
  execFileSync('cp', ['-r', join(program, 'config'), config]);
  // Logs of the garbage collector and of crashes go into the program's own folder, which is not ours to write.
  const jvm = join(config, 'jvm.options');
  const kept = readFileSync(jvm, 'utf8').split('\n');
  writeFileSync(jvm, kept.filter((line) => line.startsWith('#') || !line.includes('logs/')).join('\n'));
  const settings = {
    'discovery.type': 'single-node',
    'network.host': '127.0.0.1',
    'http.port': http,
    'transport.port': transport,
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    // The disk of whoever runs the tests is not what they are about.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
  writeFileSync(
    join(config, 'opensearch.yml'),
    Object.entries(settings)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o755);
  if (isRoot) {
    chownSync(folder, NOBODY, NOBODY);
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, config]);
  }
  const child = spawn('bash', [join(program, 'bin/opensearch')], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      OPENSEARCH_JAVA_HOME: java,
      OPENSEARCH_PATH_CONF: config,
      OPENSEARCH_JAVA_OPTS: '-Xms512m -Xmx512m',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
  }
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${http}`;
  for (const started = Date.now(); ; await sleep(250)) {
    if (await answers(url)) return { backend: `opensearch=${url}`, url, stop };
    if (child.exitCode === null && Date.now() - started < PATIENCE_MS) continue;
    await stop();
    throw new Error(`OpenSearch does not start: ${said}`);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
