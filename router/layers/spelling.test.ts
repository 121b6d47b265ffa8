import { describe, expect, it } from 'vitest';
import { inDocumentsSpelling, sparingNames } from './spelling.ts';
import { told } from './testing/layers.ts';

const slip = (written: string, ...near: string[]) => ({ written, near, meant: near[0] ?? null });

describe('spelling', () => {
  it('is put right in the query and said beside the answer', () => {
    const spelling = [slip('barometre', 'barometer')];
    expect(inDocumentsSpelling('Where is the Barometre, barometre?', spelling)).toBe(
      'Where is the barometer, barometer?',
    );
    expect(told({ spelling })).toBe('spelling CAVEAT');
    expect(told({ spelling }, { spelling: { on: false } })).toBe('OPEN');
  });

  it('leaves alone what is not clear, and names', () => {
    const unclear = { ...slip('fiels', 'files', 'fields'), meant: null };
    expect(inDocumentsSpelling('Which fiels?', [unclear])).toBe('Which fiels?');
    expect(told({ spelling: [unclear] })).toBe('OPEN');
    const names = sparingNames('Does Sigstor sign?', [slip('sigstor', 'sigstore')]);
    expect(names).toEqual([{ written: 'sigstor', near: ['sigstore'], meant: null }]);
  });

  it('is asked about where the documents know no other word of the query', () => {
    const coverage = { terms: ['fiels'], unknown: ['fiels'], known: 0 };
    const unclear = { ...slip('fiels', 'files', 'fields'), meant: null };
    expect(told({ coverage, spelling: [unclear] })).toBe('coverage ASK TERMS_NOT_COVERED');
  });
});
