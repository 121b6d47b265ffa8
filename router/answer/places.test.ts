import { describe, expect, it } from 'vitest';
import { answersScored, evidence } from '../decision/testing/cases.ts';
import { byPlace, entryPlaces, spanPlaces } from './places.ts';
import { sourcesIn } from './testing/sources.ts';

describe('entries of one term', () => {
  const entries = (...said: [page: string, text: string][]) =>
    said.map(([page, text]) => {
      const [source] = sourcesIn(`<dl><dt>--keep</dt><dd>${text}</dd></dl>`);
      const title = `${page} > Options > --keep`;
      return { ...source!, evidence: { ...source!.evidence, title, docId: page, passageId: page } };
    });
  const query = 'What does --keep do?';
  const names = (sources: ReturnType<typeof entries>, asked = query) =>
    entryPlaces(asked, 'FACT', sources).map(({ name }) => name);

  it('are told apart by what their titles do not share, and shown one after the other', () => {
    const places = entryPlaces(
      query,
      'FACT',
      entries(['K1', 'Keeps it warm.'], ['K2', 'Remembers the heat.']),
    );
    const made = byPlace(places);
    expect(made.text).toBe('K1: --keep: Keeps it warm.\nK2: --keep: Remembers the heat.');
    expect(new Set(made.quotes.map(({ of, role }) => `${role} ${of}`))).toEqual(
      new Set(['item K1', 'item K2']),
    );
    expect(made.cut).toBeNull();
  });

  it('that say the same are one, unless their numbers differ', () => {
    const [a, b] = ['Keeps the water warm.', 'Keeps the water warm after boiling.'];
    expect(names(entries(['K1', a], ['K2', b]))).toHaveLength(1);
    expect(names(entries(['K1', 'Waits 5 s.'], ['K2', 'Waits 6 s.']))).toHaveLength(2);
  });

  it('are one where a passage but goes on with the entry of another', () => {
    const [one, other] = entries(['K1', 'Keeps it warm.'], ['K2', 'Remembers the heat.']);
    const onward = {
      ...one!,
      evidence: { ...one!.evidence, passageId: 'K1#1', start: 900, text: '--keep: Not in winter.' },
    };
    expect(names([onward, one!, other!]).sort()).toEqual(['K1', 'K2']);
  });

  it('are none where their places have one name, or where the query asks for no entry', () => {
    expect(names(entries(['K1', 'Boils.'], ['K1', 'Cools.']))).toEqual([]);
    expect(names(entries(['K1', 'Boils.'], ['K2', 'Cools.']), 'How do I keep it?')).toEqual([]);
  });

  it('of a word that is no name are those that answer nearly as likely as the best, of a name all', () => {
    const scored = (relevance: number | null, source: ReturnType<typeof entries>[number]) => ({
      ...source,
      evidence: { ...source.evidence, scores: { ...source.evidence.scores, relevance } },
    });
    const of = (term: string) => {
      const all = entries(['K1', 'Boils.'], ['K2', 'Cools.']).map(({ parts, evidence: one }) => ({
        parts: parts.map((part) => (part.term === null ? part : { ...part, term })),
        evidence: { ...one, text: one.text.replace('--keep', term.padEnd(6)) },
      }));
      const places = (best: number, read: readonly (number | null)[]) =>
        entryPlaces(
          `What does ${term} mean?`,
          'DEFINITION',
          read.map((relevance, i) => scored(relevance, all[i]!)),
          scored(best, all[0]!).evidence,
        );
      const found = [
        places(0.4, [0.3, 0.05]),
        places(0.8, [0.3, 0.05]),
        places(0.8, [null, null]),
        places(0.95, [null, null]),
      ];
      return found.map((each) => each.map(({ name }) => name));
    };
    expect(of('keep')).toEqual([['K1'], [], ['K1', 'K2'], []]);
    expect(of('--keep')).toEqual(Array.from({ length: 4 }, () => ['K1', 'K2']));
  });

  it('that do not answer are none where the query says more than the term', () => {
    const [one, other] = entries(['K1', 'Boils.'], ['K2', 'Cools.']);
    const relevant = {
      ...one!,
      evidence: { ...one!.evidence, scores: { ...one!.evidence.scores, relevance: 0.9 } },
    };
    expect(names([relevant, other!], 'While it boils, what does --keep do?')).toHaveLength(1);
    expect(names([relevant, other!])).toEqual(['K1', 'K2']);
  });

  it('are none where a page about the term answers', () => {
    const [one, other] = entries(['K1', 'Boils.'], ['K2', 'Cools.']);
    const page = (relevance: number) => {
      const { evidence: own } = one!;
      const scores = { ...own.scores, relevance };
      return {
        ...one!,
        evidence: { ...own, title: '--keep - The Wiki > Definition', passageId: 'page', scores },
      };
    };
    expect(names([one!, other!, page(0.9)])).toEqual([]);
    expect(names([one!, other!, page(0.1)])).not.toEqual([]);
  });

  it('say that there is more where one is cut', () => {
    const long = entries(['K1', 'It keeps the water. '.repeat(60)], ['K2', 'Cools.']);
    expect(byPlace(entryPlaces(query, 'FACT', long)).cut).toBe('Of K1 there is more than is shown.');
  });
});

describe('answers of several places', () => {
  const passages = (...said: [title: string, text: string, answer: string][]) => {
    const found = said.map(([title, text]) =>
      evidence({ title, text, passageId: title, scores: { ...evidence({}).scores, relevance: 0.9 } }),
    );
    const byPassage = new Map(
      said.map(([title, text, answer], cluster) => {
        const start = text.indexOf(answer);
        return [
          title,
          { cluster, score: 0.6, span: { text: answer, start, end: start + answer.length, score: 1 } },
        ];
      }),
    );
    return { evidence: found, answers: { ...answersScored(0.6), byPassage } };
  };
  const query = 'How much does the kettle hold?';
  const names = (given: ReturnType<typeof passages>, asked = query) =>
    spanPlaces(asked, 'QUANTITY', given).map(({ name }) => name);
  const two = passages(
    ['Kettle K1', 'It is red. The kettle holds 2 litres.', '2 litres'],
    ['Kettle K2', 'The kettle holds 3 litres.', '3 litres'],
  );

  it('are listed by what tells the things apart, where one says of one what the other says of the other', () => {
    expect(byPlace(spanPlaces(query, 'QUANTITY', two)).text).toBe(
      'Kettle K1: The kettle holds 2 litres.\nKettle K2: The kettle holds 3 litres.',
    );
  });

  it('are one answer where the query names which is meant, or they say something else', () => {
    expect(names(two, 'How much does the kettle K2 hold?')).toEqual([]);
    const other = passages(
      ['Kettle K1', 'The kettle holds 2 litres.', '2 litres'],
      ['Urn', 'Of tea in the urn there were 3 litres left.', '3 litres'],
    );
    expect(names(other)).toEqual([]);
    expect(names({ ...two, evidence: two.evidence.slice(0, 1) })).toEqual([]);
  });

  it('are none of ours where not one value is asked for', () => {
    expect(spanPlaces('How do I fill the kettle?', 'PROCEDURE', two)).toEqual([]);
    expect(spanPlaces(query, 'QUANTITY', { ...two, answers: { ...two.answers, clusters: [] } })).toEqual([]);
  });
});
