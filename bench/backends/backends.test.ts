import { describe, expect, it } from 'vitest';
import { type FailoverReport, isWhole, renderFailover } from './failover.ts';
import { type IndexingKillsReport, isSame, renderIndexingKills } from './indexing-kills.ts';
import { backendsIn } from './run.ts';

describe('backends that are compared', () => {
  it('stand behind commas, which nodes of one engine may too', () => {
    expect(backendsIn('embedded')).toEqual(['embedded']);
    expect(
      backendsIn('embedded,opensearch=http://a:9200,http://b:9200?shards=2,pgvector=postgres://me@host/db'),
    ).toEqual([
      'embedded',
      'opensearch=http://a:9200,http://b:9200?shards=2',
      'pgvector=postgres://me@host/db',
    ]);
  });

  it.each(['opensearch=http://a:9200', 'embedded,embedded', ''])('begin with "embedded": %s', (list) => {
    expect(() => backendsIn(list)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('a report of killed nodes and writers', () => {
  const latency = { n: 9, p50: 2, p95: 5, p99: 6, max: 7, mean: 3, clamped: 0, refused: 0 };
  const decided = (otherwise: string[] = [], unavailable = 0) => ({ same: 90, unavailable, otherwise });
  const report = (): FailoverReport => ({
    schema: 'pragaura.bench-failover/1',
    documents: 4,
    passages: 40,
    nodes: 3,
    load: { kills: 2, decided: decided([], 10), calm: latency, disturbed: latency, lost: 0 },
    alone: { gone: decided([], 9), back: decided() },
    writers: { kills: 5, before: 4, after: 1, torn: [], sameInTheEnd: true },
    writes: { kills: 1, first: 0, second: 1, torn: [] },
  });

  it('is sound where whatever failed was said to be unavailable', () => {
    expect(isWhole(report())).toBe(true);
    const text = renderFailover(report());
    expect(text).toContain('failures taken for absence: 0 of 100 (at most 2.951 %');
    expect(text).toContain('passages lost: 0');
    expect(renderFailover({ ...report(), load: null, alone: null })).not.toContain('taken for absence');
  });

  it.each<[string, (report: FailoverReport) => unknown]>([
    [
      'a decision under load was another',
      ({ load }) => load!.decided.otherwise.push('Who?: ABSTAIN NO_RESULTS'),
    ],
    ['a decision without a node was another', ({ alone }) => alone!.gone.otherwise.push('Who?: ANSWER')],
    ['it stayed unavailable', ({ alone }) => Object.assign(alone!.back, { unavailable: 1 })],
    ['a passage was lost', ({ load }) => Object.assign(load!, { lost: 1 })],
    ['a generation was torn', ({ writers }) => writers.torn.push('kill 3: half of it')],
    ['it was another in the end', ({ writers }) => Object.assign(writers, { sameInTheEnd: false })],
    ['it was torn by a node', ({ writes }) => writes.torn.push('kill 1: not written')],
  ])('is not where %s', (_, spoil) => {
    const spoilt = report();
    spoil(spoilt);
    expect(isWhole(spoilt)).toBe(false);
  });
});

describe('a report of indexing that was killed', () => {
  const report = (more: Partial<IndexingKillsReport> = {}): IndexingKillsReport => ({
    schema: 'pragaura.bench-failover-indexing/1',
    documents: 4,
    passages: 40,
    workers: 2,
    undisturbedMs: 1_234,
    killed: { coordinator: 60, worker: 40 },
    seen: { before: 90, after: 10 },
    torn: [],
    otherwise: [],
    ...more,
  });

  it('is sound where the generation before was seen, or the new one, and it was the new one in the end', () => {
    expect(isSame(report())).toBe(true);
    expect(isSame(report({ torn: ['kill 3: half of it'] }))).toBe(false);
    expect(isSame(report({ otherwise: ['kill 3: another'] }))).toBe(false);
  });

  it('says how many kills there were, and at most how often it may be otherwise', () => {
    expect(renderIndexingKills(report())).toContain('anything else 0 times (at most 3.0 %, 95 %, one-sided)');
    expect(renderIndexingKills(report({ otherwise: ['kill 3: another'] }))).toContain('1 of 100');
  });
});
