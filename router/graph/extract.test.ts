import { describe, expect, it } from 'vitest';
import { triplesIn } from './extract.ts';

const said = (text: string, title = '') =>
  triplesIn(text, title).map(({ subject, relation, object }) => `${subject} | ${relation} | ${object}`);

describe('triples by patterns', () => {
  it('are two names, or a name and a year, with a verb phrase between them', () => {
    expect(said('The Wayback Machine was set up by Brewster Kahle.')).toEqual([
      'Wayback Machine | was set up by | Brewster Kahle',
    ]);
    expect(said('The School of Architecture was established in 1899.')).toEqual([
      'School of Architecture | was established in | 1899',
    ]);
  });

  it('take a pronoun that opens a sentence for the title of the document, and say so by less confidence', () => {
    expect(
      triplesIn('Spectre is a film of 2015. It was directed by Sam Mendes.', 'Spectre (film) > Production'),
    ).toEqual([{ subject: 'Spectre', relation: 'was directed by', object: 'Sam Mendes', confidence: 0.6 }]);
    expect(said('It was directed by Sam Mendes.', 'Spectre')).toEqual([]);
    expect(said('notes on it are old. It was directed by Sam Mendes.', 'notes on it')).toEqual([]);
  });

  it('leave out what is denied, only possible, another clause, or hangs on a preposition', () => {
    expect(said('Marie Curie never met Albert Schweitzer.')).toEqual([]);
    expect(said('Marie Curie might have met Albert Schweitzer.')).toEqual([]);
    expect(said('It was paid by a Norman named Oursel.')).toEqual([]);
    expect(said('The Court held Marie Curie had won.')).toEqual([]);
    expect(said('Marie Curie said that Pierre Curie knew it.')).toEqual([]);
    expect(said('The president of France visited Germany.')).toEqual([]);
    expect(said('Marie Curie, Pierre Curie and Paul Langevin met.')).toEqual([]);
  });

  it('leave out a name that goes on, a bare "is", and a year as a subject', () => {
    expect(said('Marie Curie bought a Boston hotel.')).toEqual([]);
    expect(said('Paul Langevin is Professor Langevin.')).toEqual([]);
    expect(said('1991 was opened by Marie Curie.')).toEqual([]);
  });

  it('leave out what is cut off: a clause of purpose, a clause about something else, a year of something', () => {
    expect(said('Marie Curie asked Paul Langevin to write.')).toEqual([]);
    expect(said('It is a bay which Marie Curie called Warsaw Bay.')).toEqual([]);
    expect(said('Marie Curie lit the 1893 Columbian Exposition.')).toEqual([]);
    expect(said('Marie Curie travelled to Warsaw to write.')).toEqual([
      'Marie Curie | travelled to | Warsaw',
    ]);
  });

  it('are bounded for a passage that is one list of sentences', () => {
    const text = Array.from({ length: 100 }, (_, i) => `Marie Curie visited Warsaw${i}.`).join(' ');
    expect(triplesIn(text, '')).toHaveLength(24);
  });

  it('come from texts with words of programs in them', () => {
    expect(said('Constructor Prototype founded __proto__ Incorporated.')).toEqual([]);
    expect(said('Constructor Prototype founded ToString Society.')).toEqual([
      'Constructor Prototype | founded | ToString Society',
    ]);
  });
});
