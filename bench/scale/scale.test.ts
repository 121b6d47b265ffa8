import { constants } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sample, seededRandom } from '../../common/index.ts';
import { knownItemQueries, loadGlosses } from '../datasets/wordnet.ts';
import { byLastTwo, line, powerLaw, valueAt } from './fit.ts';
import { ASSUMED, type BackendPlan, planOf } from './plan.ts';
import { takenBy } from './processes.ts';
import type { RealText } from './real-text.ts';
import { renderScale } from './render.ts';
import { benchScale, type Piece, runPiece, type ScaleOptions } from './run.ts';
import { TextStatistics } from './statistics.ts';
import { generatedDocuments } from './text.ts';
import type { Found, Measured } from './types.ts';
import { dot, neighbourhoodOf, vectorBeside, vectorOf } from './vectors.ts';

describe('growth', () => {
  const at = (sizes: readonly number[], of: (x: number) => number) => sizes.map((x) => ({ x, y: of(x) }));

  it('of a power law and of a line is found as it is', () => {
    const power = powerLaw(at([1e4, 1e5, 1e6], (x) => 3 * x ** 0.7));
    expect(power.factor).toBeCloseTo(3, 8);
    expect(power.exponent).toBeCloseTo(0.7, 10);
    expect(power.residual).toBeLessThan(1e-9);
    const straight = line(at([1e4, 1e5, 1e6], (x) => 120 + 0.004 * x));
    expect(straight.constant).toBeCloseTo(120, 6);
    expect(straight.factor).toBeCloseTo(0.004, 12);
    expect(valueAt(straight, 1e8)).toBeCloseTo(400_120, 3);
  });

  it('says how far a point is off, and what the last two alone would say', () => {
    const bent = at([1, 10, 100], (x) => (x === 10 ? 20 : x));
    const fit = powerLaw(bent);
    // Log y is 0, log 20 and log 100 over equal steps: the slope is that of the ends.
    expect(fit.exponent).toBeCloseTo(1, 10);
    expect(fit.residual).toBeCloseTo(1 - 10 ** (1 + (Math.log10(20) - 1) / 3) / 20, 10);
    expect(byLastTwo('power', bent, 1_000)).toBeCloseTo(500, 6);
  });

  it.each([
    ['one size', [{ x: 10, y: 1 }]],
    [
      'one size twice',
      [
        { x: 10, y: 1 },
        { x: 10, y: 2 },
      ],
    ],
    [
      'a figure of 0',
      [
        { x: 1, y: 0 },
        { x: 10, y: 1 },
      ],
    ],
  ])('is not made up of %s', (_, points) => {
    expect(() => powerLaw(points)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => line(points)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

let real: RealText;
beforeAll(async () => {
  const glosses = sample(await loadGlosses(), 20_000, seededRandom(1));
  real = { about: 'WordNet', documents: glosses, queries: knownItemQueries(glosses, 200, 5) };
});

describe('generated text', () => {
  const firstOf = (count: number, { seed = 1, of = real.documents.length } = {}) => {
    const stream = generatedDocuments(real.documents.slice(0, of), seed);
    return Array.from({ length: count }, () => stream.next().value);
  };

  it('is the same for the same seed, the first of more, and another for another', () => {
    const more = firstOf(200, { of: 500 });
    expect(firstOf(50, { of: 500 })).toEqual(more.slice(0, 50));
    expect(firstOf(50, { of: 500, seed: 2 })).not.toEqual(more.slice(0, 50));
    expect(new Set(more.map(({ docId }) => docId)).size).toBe(200);
  });

  it('grows its vocabulary and repeats its words as real text does', () => {
    const report = (texts: readonly { text: string }[]) => {
      const statistics = new TextStatistics();
      for (const { text } of texts) statistics.add(text);
      return statistics.report();
    };
    const wanted = report(real.documents);
    const found = report(firstOf(20_000));
    const { factor, exponent } = wanted.heaps;
    expect(found.vocabulary / (factor * found.words ** exponent)).toBeCloseTo(1, 1);
    expect(Math.abs(found.heaps.exponent - exponent)).toBeLessThan(0.05);
    expect(Math.abs(found.zipf.head.exponent - wanted.zipf.head.exponent)).toBeLessThan(0.1);
    expect(Math.abs(found.zipf.tail.exponent - wanted.zipf.tail.exponent)).toBeLessThan(0.25);
  });

  it('has in one document one word for one that is rare, in its title too', () => {
    const documents = [{ title: 'Zarbo', text: 'Quillon of Zarbo.' }, ...real.documents.slice(0, 50)];
    const stream = generatedDocuments(documents, 1);
    const own = Array.from({ length: 500 }, () => stream.next().value).find(({ title, text }) =>
      text.includes(` of ${title}.`),
    );
    expect(own?.title).toMatch(/^[A-Z][a-z]+$/);
    expect(own?.title).not.toBe('Zarbo');
    expect(own?.text).not.toContain('Quillon');
  });
});

describe('vectors that no model made', () => {
  const dimension = 16;
  const drawn = () => {
    const random = seededRandom(5);
    const values = Float32Array.from({ length: 400 * dimension }, () => random() - 0.5);
    for (let row = 0; row < 400; row += 1) {
      const own = values.subarray(row * dimension, (row + 1) * dimension);
      const length = Math.hypot(...own);
      for (let i = 0; i < dimension; i += 1) own[i]! /= length;
    }
    return { values, dimension };
  };

  it('are unit vectors, the same for the same text', () => {
    const base = drawn();
    const one = vectorOf(base, 'a text');
    expect(dot(one, one)).toBeCloseTo(1, 5);
    expect(vectorOf(base, 'a text')).toEqual(one);
    expect(dot(vectorOf(base, 'another text'), one)).toBeLessThan(0.999);
  });

  it('have the cosine that a question is to have', () => {
    const one = vectorOf(drawn(), 'a text');
    const beside = vectorBeside(one, 0.63, seededRandom(1));
    expect(dot(one, beside)).toBeCloseTo(0.63, 5);
    expect(dot(beside, beside)).toBeCloseTo(1, 5);
  });

  it('lie to each other as they are measured to', () => {
    // Two of each of the 16 directions: the nearest is the same again, any other at a right angle.
    const values = new Float32Array(32 * dimension);
    for (let row = 0; row < 32; row += 1) values[row * dimension + (row >> 1)] = 1;
    expect(neighbourhoodOf({ values, dimension })).toMatchObject({ vectors: 32, apart: 0, nearest: 1 });
  });
});

describe('pragaura bench scale', () => {
  let work: string;
  beforeAll(async () => {
    work = await mkdtemp(path.join(tmpdir(), 'pragaura-scale-'));
  });
  afterAll(() => rm(work, { recursive: true, force: true }));

  const options = (): ScaleOptions => ({
    sizes: [300, 600],
    backends: 'embedded',
    start: [],
    questions: 20,
    sample: 100,
    decisions: 2,
    shards: [],
    shardsAt: 600,
    work,
  });

  /** Runs pieces in this process, and stops before one of them. */
  async function measured(own: ScaleOptions, before?: Piece['what']) {
    const [ran, said]: [string[], string[]] = [[], []];
    const stop = new AbortController();
    const report = await benchScale(own, {
      real,
      say: (text) => void said.push(text),
      signal: stop.signal,
      run: async (piece) => {
        ran.push(piece.what);
        if (piece.what === before) {
          stop.abort(new Error('stopped'));
          stop.signal.throwIfAborted();
        }
        return JSON.parse(JSON.stringify(await runPiece(piece, async () => real)));
      },
    }).catch((error: unknown) => error as Error);
    return { report, ran, said };
  }

  it('goes on where it was stopped, and measures every size', async () => {
    const stopped = await measured(options(), 'ask');
    expect(stopped.report).toMatchObject({ message: 'stopped' });
    expect(stopped.ran).toEqual(['sample', 'text', 'build', 'questions', 'ask']);
    const { report, ran } = await measured(options());
    expect(ran).toEqual(['ask', 'text', 'build', 'questions', 'ask']);
    if (report instanceof Error) throw report;

    expect(report.sizes.map(({ wanted, ended }) => [wanted, ended])).toEqual([
      [300, null],
      [600, null],
    ]);
    for (const { wanted, built, backends } of report.sizes) {
      expect(built!.documents).toBe(wanted);
      expect(built!.passages).toBeGreaterThanOrEqual(wanted);
      const [{ asked }] = backends as [(typeof backends)[0]];
      expect(asked!.bytes).toBe(Object.values(built!.bytes).reduce((sum, bytes) => sum + bytes, 0));
      for (const way of Object.values(asked!.ways)) {
        expect(way.recall).toBeGreaterThan(0.8);
        expect(way.overlap).toBe(1);
        expect(way.latency.n).toBe(20);
      }
    }
    const text = renderScale(report);
    expect(text).toContain('== 600 passages, 20 questions');
    const disk = report.plan!.growth.find(({ figure }) => figure === 'disk')!;
    expect(disk.points).toHaveLength(2);
    const [small, large] = disk.points as [{ x: number; y: number }, { x: number; y: number }];
    const slope = (large.y - small.y) / (large.x - small.x);
    expect(disk.far!.all / (small.y + slope * (ASSUMED.passages - small.x))).toBeCloseTo(1, 6);
    // Texts are taken away once they are in an index.
    const [folder] = await readdir(work);
    expect(await readdir(path.join(work, folder!))).not.toContain('texts-600');
  });

  it('is not measured again, and other questions are others', async () => {
    const again = await measured(options());
    expect(again.ran).toEqual([]);
    expect((await measured({ ...options(), questions: 10, sizes: [300] }, 'sample')).ran).toEqual(['sample']);
  });

  it('has one size less where one cannot be had, and tries it again', async () => {
    const own = { ...options(), sizes: [300, 600, 700] };
    const failing = await benchScale(own, {
      real,
      say: () => {},
      signal: new AbortController().signal,
      run: async (piece) => {
        if (piece.what === 'build') throw new Error('out of memory');
        return runPiece(piece, async () => real);
      },
    });
    expect(failing.sizes.at(-1)).toMatchObject({
      wanted: 700,
      built: null,
      ended: 'out of memory',
      backends: [],
    });
    expect(renderScale(failing)).toContain('no index of 700 passages: out of memory');
    expect((await measured(own)).ran).toEqual(['build', 'questions', 'ask']);
  });

  it.each([
    ['a backend before the embedded index', { backends: 'opensearch=http://a:9200' }],
    ['shards at a size that is not measured', { shards: [2], shardsAt: 5_000 }],
  ])('refuses %s', async (_, more) => {
    const { report } = await measured({ ...options(), ...more });
    expect(report).toMatchObject({ code: 'USAGE' });
  });
});

describe('what processes take', () => {
  it('is of a process and those below it', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
    try {
      await once(child, 'spawn');
      const alone = takenBy([child.pid!])!;
      const both = takenBy([process.pid])!;
      expect(alone.memoryMiB).toBeGreaterThan(0);
      expect(alone.ownMiB).toBeLessThanOrEqual(alone.memoryMiB);
      expect(both.memoryMiB).toBeGreaterThan(alone.memoryMiB);
      expect(both.cpuS).toBeGreaterThanOrEqual(process.cpuUsage().user / 1e6 - 0.1);
    } finally {
      child.kill();
    }
  });

  it('is not known of one that is not there', () => {
    expect(takenBy([2 ** 30])).toBeNull();
  });
});

describe('a plan', () => {
  const latency = (p50: number) => ({
    ...{ n: 1, p50, p95: p50, p99: p50, max: p50, mean: p50, clamped: 0, refused: 0 },
  });
  const neighbourhood = { vectors: 2, apart: 0, nearest: 0.5, intrinsicDimension: 8 };
  const fit = { kind: 'power', constant: 0, factor: 1, exponent: 1, points: 2, residual: 0 } as const;
  const text = { texts: 1, words: 1, vocabulary: 1, heaps: fit, zipf: { head: fit, tail: fit } };

  /** `engineMs`: processor time of the engine at a size. */
  function found(sizes: readonly number[], engineMs: (passages: number) => number): Found {
    const measured = (backend: string, n: number): Measured => {
      const way = { latency: latency(1 + n / 1e5), recall: 1, overlap: 1 };
      return {
        ...{ backend, shards: 1, publishMs: null, ended: null },
        asked: {
          openMs: 1,
          memory: { before: 0, after: 1_024 + n * 2 ** -10, peak: 0 },
          bytes: 2_048 * n,
          ways: { lexical: way, dense: way, fused: way },
          together: { concurrency: 8, perSecond: 1 },
          cpuMs: { own: 3, engine: backend === 'embedded' ? null : engineMs(n) },
          engine: backend === 'embedded' ? null : { memoryMiB: 100, ownMiB: 50 },
        },
      };
    };
    return {
      questions: 1,
      sample: {
        ...{ about: '', passages: 100, text, deciderMiB: 1, vectors: neighbourhood, questionCosine: 0.6 },
        embedding: { threads: 2, wallMs: 500, cpuMs: 1_000, insideShare: 0.9 },
        decision: { latency: latency(300), cpuMs: 600 },
      },
      sizes: sizes.map((passages) => ({
        ...{ wanted: passages, text, ended: null },
        built: {
          ...{ documents: passages, passages, terms: 1, vectors: neighbourhood },
          bytes: { vectors: passages * (384 * 4 + 32), postings: passages * 600 },
          ms: { read: passages, write: passages, vectors: 1 },
          peakMiB: 100 + passages,
        },
        backends: [measured('embedded', passages), measured('opensearch', passages)],
      })),
      shards: [],
    };
  }

  it('is what the laws of its figures come to', () => {
    const plan = planOf(found([1e4, 1e5, 1e6], (n) => 2 * Math.sqrt(n)))!;
    // 1,000 queries a second of 600 ms, .6 of the cores busy.
    expect(plan.decisions).toEqual({ cores: 1_000, nodes: 63 });
    // 10 ms a passage.
    expect(plan.build.embeddingHours).toBeCloseTo(1e6 / 3_600, 6);
    expect(plan.build.hours).toBeCloseTo(2e8 / 3_600_000, 3);
    const [embedded, engine] = plan.backends as [BackendPlan, BackendPlan];
    // 1 GiB, and 1 KiB a passage.
    expect(embedded.processGiB).toBeCloseTo(1 + 1e8 / 2 ** 20, 3);
    expect(engine.shards).toBe(10);
    expect(engine.searchCores).toBeCloseTo((1_000 * 10 * 2 * Math.sqrt(1e7)) / 1_000 / 0.6, 3);
    expect(engine.diskGiB).toBeCloseTo((2 * 2_048 * 1e8) / 2 ** 30, 3);
    // Vectors and graph are more than what the engine was seen to take.
    expect(engine.memoryGiB).toBeCloseTo((2 * 1e8 * (384 * 4 + 128)) / 2 ** 30, 3);
    expect(plan.bars).toEqual([
      { figure: 'memory', most: 4, passages: 3 * 2 ** 20 },
      { figure: 'lexical', most: 5, passages: 4e5 },
    ]);
    expect(plan.ends[0]!.passages).toBe(Math.floor(constants.MAX_LENGTH / 1_536));
  });

  it('does not carry out what does not grow, and is none of one size', () => {
    const plan = planOf(found([1e4, 1e5], () => 7))!;
    const own = plan.growth.find(({ backend, figure }) => backend === 'opensearch' && figure === 'engine')!;
    expect(own.far).toBeNull();
    expect(plan.backends[1]!.searchCores).toBeCloseTo((1_000 * 10 * 7) / 1_000 / 0.6, 6);
    expect(planOf(found([1e4], () => 7))).toBeNull();
  });
});
