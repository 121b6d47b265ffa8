import { expect, it } from 'vitest';
import { openRetrieval } from './open.ts';
import { backendOf } from './testing/small-index.ts';

const retrieval = openRetrieval(
  backendOf([
    'The barometer hangs beside the door. A Barometer needs no power.',
    'Each barometer is calibrated once a year. The files are kept.',
    'The fields of a file. The fields are wide.',
    'Processes are started one by one, and a process substitutes another.',
    'A process ends. Substitution is one of its uses.',
    'Substitution takes place once.',
    'A rare hygrometer.',
  ]),
);
const no = () => false;

it.each<[string, string[], string | null]>([
  ['barometre', ['barometer'], 'barometer'],
  ['proccess', ['process'], 'process'],
  ['subsitution', ['substitution'], 'substitution'],
  // Two words are as near, and none is far more frequent.
  ['fiels', ['files', 'fields'], null],
  // One passage may hold a slip of its own.
  ['hygrometr', ['hygrometer'], null],
])('%s may be %j', async (written, near, meant) => {
  expect(await retrieval.spellings([written], no)).toEqual([{ written, near, meant }]);
});

it.each(['volcano', 'doo', 'b4rometer', '__proto__', 'x'.repeat(1_000), 'ärger'])(
  '%s is near to nothing',
  async (written) => {
    expect(await retrieval.spellings([written], no)).toEqual([]);
  },
);

it('leaves real words alone, and looks at four words at most', async () => {
  expect(await retrieval.spellings(['barometre'], () => true)).toEqual([]);
  const slips = ['barometre', 'barometor', 'barometar', 'barometir', 'barometur'];
  expect((await retrieval.spellings(slips, no)).map(({ written }) => written)).toEqual(slips.slice(0, 4));
});
