import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect as collectBy, type Limits } from './collect.ts';
import { triplesIn } from './extract.ts';
import { KnowledgeGraph } from './knowledge-graph.ts';
import { reinforce as reinforceBy } from './reinforce.ts';
import type { LabelledQuery } from './source.ts';
import { type Edge, type GraphData, PathScore } from './types.ts';
import { grounding, reinforced, weightOf } from './weights.ts';

/** Passages are named by their ordinals. */
const reinforce = (data: GraphData, queries: readonly LabelledQuery[]) =>
  reinforceBy(data, queries, (id) => (Number(id) < 10 ? [Number(id)] : []));

const collect = (passages: readonly { text: string; title: string }[], limits: Limits) =>
  collectBy(passages, limits, ({ text, title }) => triplesIn(text, title));

const edge = (
  subject: number,
  relation: string,
  object: number,
  sem = 0.8,
  passages: number[] = [],
): Edge => ({
  subject,
  relation,
  object,
  count: 1,
  passages,
  sem,
  act: 0.6,
});

/** Apollo 11 -- Neil Armstrong -- Purdue University; Apollo 11 -- Saturn V. Weights 0.7, 0.6, 0.5. */
const DATA: GraphData = {
  nodes: ['Apollo 11', 'Neil Armstrong', 'Purdue University', 'Saturn V', 'Lone Star'],
  edges: [
    edge(0, 'was commanded by', 1, 0.8, [0]),
    edge(1, 'studied at', 2, 0.6, [1]),
    edge(0, 'was launched by', 3, 0.4, [0]),
  ],
};
const graphOf = (data: GraphData) => new KnowledgeGraph(data, 'hash');
const graph = graphOf(DATA);

describe('weights', () => {
  it('are the formulas of the paper', () => {
    expect(weightOf({ sem: 0.8, act: 0.6 })).toBeCloseTo(0.7, 12);
    expect(weightOf({ sem: 1, act: 1 })).toBe(0.95);
    expect(grounding(0.6, 1)).toBeCloseTo(0.6 + 0.03 * Math.log(2), 12);
    expect(grounding(-0.5, 1)).toBe(0);
    expect(reinforced(0.5, 'ANSWER')).toBeCloseTo(0.7, 12);
    expect(reinforced(0.5, 'ASK')).toBeCloseTo(0.55, 12);
    expect(reinforced(0.05, 'ABSTAIN')).toBe(0);
    expect(reinforced(0.9, 'ANSWER')).toBe(1);
  });
});

describe('the path score', () => {
  it('is the product of the weights between what the query names', () => {
    expect(graph.pathScore('Did Neil Armstrong fly on Apollo 11?')).toMatchObject({
      kind: 'strong',
      path: [{ subject: 'Apollo 11', relation: 'was commanded by', object: 'Neil Armstrong' }],
    });
    expect(graph.pathScore('Did Neil Armstrong fly on Apollo 11?').score).toBeCloseTo(0.7, 12);
    const two = graph.pathScore("Where did Apollo 11's commander study, Purdue University?");
    expect(two.path.map(({ relation }) => relation)).toEqual(['was commanded by', 'studied at']);
    expect(two.score).toBeCloseTo(0.7 * 0.6, 12);
  });

  it('prefers the better of two ways, also when it is longer', () => {
    const both = graphOf({
      ...DATA,
      edges: [...DATA.edges, { ...edge(0, 'is far from', 2, 0), act: 0.2 }],
    });
    expect(both.pathOf('Apollo 11 and Purdue University')).toEqual([0, 1]);
  });

  it('of one name is its best edge that shares a word with the query', () => {
    expect(graph.pathScore('Who commanded Apollo 11?')).toMatchObject({ kind: 'strong' });
    expect(graph.pathOf('Who commanded Apollo 11?')).toEqual([0]);
    expect(graph.pathScore('Which rocket launched Apollo 11?').score).toBeCloseTo(0.5, 12);
  });

  it('is 0 where the graph knows a name and no way, or no name', () => {
    expect(graph.pathScore('What did Apollo 11 cost?')).toMatchObject({
      kind: 'broken',
      score: 0,
      known: ['Apollo 11'],
    });
    expect(graph.pathScore('Neil Armstrong and the Lone Star')).toMatchObject({ kind: 'broken', score: 0 });
    expect(graph.pathScore('Who was Marie Curie?')).toMatchObject({ kind: 'absent', score: 0, known: [] });
    expect(graph.pathScore('__proto__ constructor toString')).toMatchObject({ kind: 'absent', path: [] });
    expect(graph.pathOf('Who was Marie Curie?')).toEqual([]);
    for (const query of ['Apollo 11 and Purdue University', 'Who was Marie Curie?']) {
      expect(PathScore.parse(graph.pathScore(query))).toEqual(graph.pathScore(query));
    }
  });

  it('of any graph is what trying all paths gives', () => {
    const nodes = Array.from({ length: 6 }, (_, i) => `Node${i}`);
    const edges = fc.array(
      fc.tuple(fc.nat(5), fc.nat(5), fc.double({ min: 0, max: 1, noNaN: true })).filter(([a, b]) => a !== b),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(edges, (list) => {
        const data = { nodes, edges: list.map(([a, b, sem]) => edge(a, 'meets', b, sem)) };
        expect(graphOf(data).pathScore('Node0 Node1').score).toBeCloseTo(bestPath(data, 0, 1, 3), 10);
      }),
    );
  });

  it('of a hub stays bounded', () => {
    const spokes = Array.from({ length: 10_000 }, (_, i) => `Spoke${i}`);
    const hub: GraphData = {
      nodes: ['Hub', ...spokes],
      edges: spokes.map((_, i) => edge(0, 'holds', i + 1)),
    };
    expect(graphOf(hub).pathScore('Hub Spoke1').kind).toBe('strong');
  });
});

/** The best product over all simple paths of at most `hops` edges. */
function bestPath(
  data: GraphData,
  from: number,
  to: number,
  hops: number,
  seen: readonly number[] = [],
): number {
  if (from === to) return 1;
  if (hops === 0) return 0;
  const ways = data.edges.flatMap((each) => {
    const next = each.subject === from ? each.object : each.object === from ? each.subject : -1;
    return next < 0 || seen.includes(next)
      ? []
      : [weightOf(each) * bestPath(data, next, to, hops - 1, [...seen, from])];
  });
  return Math.max(0, ...ways);
}

describe('reinforcement', () => {
  it('strengthens the edges of an answered query and weakens those of a refused one', () => {
    const after = reinforce(DATA, [
      { query: 'Who commanded Apollo 11?', action: 'ANSWER' },
      { query: 'anything', action: 'ABSTAIN', passages: ['1', '99'] },
      { query: 'Apollo 11 of a document that is gone', action: 'ABSTAIN', passages: ['99'] },
    ]);
    expect(after.edges.map(({ act }) => act)).toEqual([
      expect.closeTo(0.8, 12),
      expect.closeTo(0.5, 12),
      0.6,
    ]);
    expect(DATA.edges[0]!.act).toBe(0.6);
  });

  it('makes a variable of what a clarified query names and the graph lacks', () => {
    const asked = { query: 'Did Apollo 11 carry the Moon Rover Kit?', action: 'ASK' as const };
    const after = reinforce(DATA, [asked, asked]);
    expect(after.nodes.at(-1)).toBe('?var:moon rover kit');
    expect(after.edges).toHaveLength(DATA.edges.length + 1);
    const shaped = graphOf(after);
    expect(shaped.pathScore('What did Apollo 11 cost?').variables).toEqual(['moon rover kit']);
    expect(shaped.pathScore('Apollo 11').kind).toBe('broken');
    expect(reinforce(DATA, [{ ...asked, query: 'Who is Ada Lovelace?' }]).nodes).toEqual(DATA.nodes);
  });
});

describe('a variable that a label names', () => {
  const asked = {
    query: 'What did Apollo 11 cost?',
    action: 'ASK' as const,
    missing: ['Year of prices', 'currency'],
  };

  it('is what the first named node requires, with the queries that lacked it', () => {
    const again = {
      ...asked,
      query: 'How much was Apollo 11 with the Moon Rover Kit?',
      missing: ['the currency'],
    };
    const after = reinforce(DATA, [asked, asked, again]);
    expect(after.nodes.slice(DATA.nodes.length)).toEqual(['?var:Year of prices', '?var:currency']);
    expect(after.unanchored).toBe(0);
    const shaped = graphOf(after);
    expect(shaped.pathScore('Apollo 11').variables).toEqual(['Year of prices', 'currency']);
    expect(shaped.requirementsOf('Was apollo 11 expensive?')).toEqual([
      { variable: 'Year of prices', of: 'Apollo 11', asked: [asked.query] },
      { variable: 'currency', of: 'Apollo 11', asked: [asked.query, again.query] },
    ]);
    expect(shaped.requirementsOf('Saturn V')).toEqual([]);
  });

  it('is none where the query names nothing of the graph, and that is told', () => {
    const { nodes, unanchored } = reinforce(DATA, [{ ...asked, query: 'What does Gemini 8 cost?' }]);
    expect(nodes).toEqual(DATA.nodes);
    expect(unanchored).toBe(1);
  });

  it('is the only kind that users are asked for', () => {
    const guessed = { query: 'Did Apollo 11 carry the Moon Rover Kit?', action: 'ASK' as const };
    const after = reinforce(DATA, [guessed]);
    expect(after.edges.at(-1)).not.toHaveProperty('asked');
    expect(graphOf(after).requirementsOf(guessed.query)).toEqual([]);
  });

  it('is looked for among a bounded number of labelled queries', () => {
    const many = Array.from({ length: 3_000 }, (_, i) => ({ ...asked, missing: [`piece ${i}`] }));
    const queries = Array.from({ length: 100 }, (_, i) => ({ ...asked, query: `Apollo 11 in ${i}` }));
    expect(graphOf(reinforce(DATA, many)).requirementsOf('Apollo 11')).toHaveLength(1_000);
    expect(graphOf(reinforce(DATA, queries)).requirementsOf('Apollo 11')[0]!.asked).toHaveLength(32);
  });
});

describe('collecting', () => {
  const passage = (text: string) => ({ text, title: '' });

  it('counts passages, not repetitions, and takes spellings of a name for one', () => {
    const { nodes, edges } = collect(
      [
        passage(
          'The Wayback Machine was founded by Brewster Kahle. The Wayback Machine was founded by Brewster Kahle.',
        ),
        passage('In 1996, WAYBACK MACHINE was founded by Brewster Kahle.'),
      ],
      { edges: 10 },
    );
    expect(nodes).toEqual(['Wayback Machine', 'Brewster Kahle']);
    expect(edges).toMatchObject([{ relation: 'was founded by', count: 2, passages: [0, 1] }]);
  });

  it('begins the reinforcement of an edge with the confidence of its best finding', () => {
    const named = { title: 'Marie Curie', text: 'Marie Curie was a physicist. She visited London.' };
    const acts = (...passages: { text: string; title: string }[]) =>
      collect(passages, { edges: 10 }).edges.map(({ act }) => act);
    expect(acts(named)).toEqual([0.6]);
    expect(acts(named, passage('Marie Curie visited London.'))).toEqual([0.8]);
  });

  it('keeps the edges that most passages say, and tells how many it let go', () => {
    const passages = ['Warsaw', 'London', 'London', 'Vienna'].map((city) =>
      passage(`Marie Curie visited ${city}.`),
    );
    const { nodes, edges, dropped } = collect(passages, { edges: 2 });
    expect(nodes).toEqual(['Marie Curie', 'London', 'Warsaw']);
    expect(edges.map(({ count }) => count)).toEqual([2, 1]);
    expect(dropped).toBe(1);
  });
});
