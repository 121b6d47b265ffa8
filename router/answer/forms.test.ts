import { describe, expect, it } from 'vitest';
import { excerpt, MOST_WORDS } from './excerpt.ts';
import { comparison, definition, entryOf, introduces, states, verdict } from './forms.ts';
import { stepAt, steps, values, withAnnouncedList } from './lists.ts';
import { plainSources, scoredIn, sourcesIn } from './testing/sources.ts';
import { unitsOf, wordsIn } from './units.ts';

const CAKE =
  '<h1>Cake</h1><p>Cakes are old. To bake one, do this:</p><ol><li>Heat the oven.</li><li>Mix the flour.' +
  '<ul><li>with eggs</li></ul></li><li>Wait.</li></ol><p>Enjoy.</p>';

describe('steps', () => {
  it('are the whole list in order, numbered, with the sentence that announces it and what is nested in them', () => {
    const sources = sourcesIn(CAKE);
    const made = steps(scoredIn(sources, 'Mix'), sources[0]!.evidence.passageId);
    expect(made.text).toBe(
      'To bake one, do this:\n1. Heat the oven.\n2. Mix the flour.\nwith eggs\n3. Wait.',
    );
    expect(made.quotes.map(({ role }) => role)).toEqual(['introduction', 'item', 'item', 'item', 'item']);
    expect(made.cut).toBeNull();
  });

  it('of which a passage holds but a part are followed into its neighbours', () => {
    const items = Array.from({ length: 12 }, (_, i) => `<li>Turn wheel number ${i + 1} once.</li>`).join('');
    const sources = sourcesIn(`<p>Do all of this now:</p><ol>${items}</ol>`, 24);
    expect(sources.length).toBeGreaterThan(2);
    const units = scoredIn(sources, 'number 6');
    const home = units.find(({ logit }) => logit > 0)!.source.evidence.passageId;
    const made = steps(units, home);
    expect(made.text.split('\n')).toHaveLength(13);
    expect(new Set(made.quotes.map(({ passageId }) => passageId)).size).toBe(sources.length);
  });

  it('are the numbered list that follows in the section, though nothing announces it, and no other list', () => {
    const made = (list: string, behind = '') => {
      const sources = sourcesIn(`<h2>Drain</h2><p>It has to be cold and still.</p>${behind}${list}`, 12);
      expect(sources.length).toBeGreaterThan(1);
      return steps(scoredIn(sources, 'cold'), sources[0]!.evidence.passageId).text;
    };
    const items = '<li>Shut the red tap.</li><li>Open the blue tap.</li>';
    expect(made(`<ol>${items}</ol>`)).toBe(
      'It has to be cold and still.\n1. Shut the red tap.\n2. Open the blue tap.',
    );
    expect(made(`<ul>${items}</ul>`)).not.toContain('red tap');
    expect(made(`<ol>${items}</ol>`, '<h2>Fill</h2>')).not.toContain('red tap');
    expect(made(`<ol start="3">${items}</ol>`)).toContain('red tap');
  });

  it('say what was left out of a list that is too long, and never show half as the whole', () => {
    const items = Array.from({ length: 500 }, (_, i) => `<li>Step ${i + 1} has a few words.</li>`).join('');
    const [source] = sourcesIn(`<ol>${items}</ol>`, 5_000);
    const made = steps(scoredIn([source!], 'Step 3 '), source!.evidence.passageId);
    expect(wordsIn(made.text)).toBeLessThanOrEqual(MOST_WORDS.steps + 40);
    expect(made.cut).toMatch(/^What follows item \d+ is not shown; the list goes on in "/);
    expect(made.cut).toContain(`item ${made.quotes.length} `);
  });

  it('of a long list go from the one that answers on, where that is far down, and say what comes before', () => {
    const items = Array.from({ length: 500 }, (_, i) => `<li>Step ${i + 1} has a few words.</li>`).join('');
    const [source] = sourcesIn(`<ol>${items}</ol>`, 5_000);
    const made = steps(scoredIn([source!], 'Step 338 '), source!.evidence.passageId);
    expect(made.text).toMatch(/^338\. Step 338 has a few words\.\n339\. /);
    expect(made.cut).toMatch(/^The list begins before what is shown, .* What follows item \d+ is not shown/);
    expect(stepAt(unitsOf(source!), 250)).toMatchObject({
      text: '250. Step 250 has a few words.',
      cut: null,
    });
    expect(stepAt(unitsOf(source!), 501)).toBeNull();
  });

  it('and lists that stand in the passage behind come with the sentence that announces them', () => {
    const items = Array.from({ length: 40 }, (_, i) => `<li>Turn wheel ${i + 1} once.</li>`).join('');
    const sources = sourcesIn(`<p>To begin, do all of this:</p><ol>${items}</ol>`, 40);
    const units = scoredIn(sources, 'To begin');
    const made = steps(units, sources[0]!.evidence.passageId);
    expect(made.text).toMatch(/^To begin, do all of this:\n1\. Turn wheel 1 once\.\n/);
    expect(made.cut).toMatch(/^What follows item \d+ is not shown/);
    const own = units.filter(({ source }) => source === sources[0]);
    const listed = withAnnouncedList(excerpt('passage', own.slice(0, 1)), units, true);
    expect(listed).toMatchObject({ form: 'list', text: made.text, cut: made.cut });
    const plain = excerpt('passage', scoredIn(plainSources('It rains. It pours.'), 'rains'));
    expect(withAnnouncedList(plain, units, true)).toBe(plain);
  });

  it('that begin in a passage which is not at hand say so', () => {
    const items = Array.from({ length: 12 }, (_, i) => `<li>Turn wheel number ${i + 1} once.</li>`).join('');
    const sources = sourcesIn(`<ol>${items}</ol>`, 24).slice(1, 2);
    const made = steps(scoredIn(sources, 'number'), sources[0]!.evidence.passageId);
    expect(made.cut).toMatch(/^The list begins before what is shown/);
  });

  it('without a list are the sentences that tell them, a command with what announces it', () => {
    const sources = sourcesIn('<p>It is late. Type this:</p><pre>make clean</pre><p>Nothing else.</p>');
    const made = steps(scoredIn(sources, 'make clean'), sources[0]!.evidence.passageId);
    expect(made.text).toBe('Type this:\nmake clean');
  });
});

describe('an excerpt', () => {
  it('is the shortest run of whole sentences that answers, of a bounded length', () => {
    const sources = plainSources(
      'Nobody knew. The dam broke because of rain. It had rained for days. Then it was May.',
    );
    const made = excerpt('explanation', scoredIn(sources, 'because', 'for days'));
    expect(made.text).toBe('The dam broke because of rain. It had rained for days.');
    const long = plainSources(
      Array.from({ length: 60 }, (_, i) => `Reason ${i} is as good as any other.`).join(' '),
      2_000,
    );
    expect(wordsIn(excerpt('passage', scoredIn(long, 'Reason')).text)).toBeLessThanOrEqual(
      MOST_WORDS.passage,
    );
  });

  it('of a table is the rows that answer, not what lies between them, and says when not all were looked at', () => {
    const rows = ['iron|7', 'brass|4', 'tin|9', 'brass|5'].map(
      (row) => `<tr><td>${row.replace('|', '<td>')}`,
    );
    const sources = sourcesIn(`<table><tr><th>Metal<th>Price${rows.join('')}</table>`);
    const units = scoredIn(sources, 'brass');
    expect(excerpt('passage', units)).toMatchObject({ text: 'brass | 4\nbrass | 5', cut: null });
    const some = units.map((unit) => (unit.logit > 0 ? unit : { ...unit, logit: Number.NEGATIVE_INFINITY }));
    expect(excerpt('passage', some).cut).toMatch(/^The table in ".*" has more rows than were looked at\.$/);
    expect(excerpt('passage', scoredIn(sources, 'tin')).text).toBe('tin | 9');
  });

  it('takes a sentence that is longer than the limit rather than none', () => {
    const sources = plainSources(`A${' very'.repeat(200)} long one.`, 2_000);
    expect(excerpt('passage', scoredIn(sources, 'very')).quotes).toHaveLength(1);
  });
});

describe('a definition', () => {
  const GLOSSARY =
    '<dl><dt>cache</dt><dd>A store that is near. It is fast.</dd><dt>-n, --dry-run</dt><dd>Only says what would be done.</dd></dl>';

  it('is the entry of its term, whole', () => {
    const units = sourcesIn(GLOSSARY).flatMap(unitsOf);
    expect(entryOf(units, (term) => term === 'cache')?.text).toBe('cache: A store that is near. It is fast.');
    expect(entryOf(units, (term) => term.includes('--dry-run'))?.text).toBe(
      '-n, --dry-run: Only says what would be done.',
    );
    expect(entryOf(units, (term) => term === 'store')).toBeNull();
  });

  it('that is long is cut at a sentence and says so', () => {
    const long = Array.from({ length: 400 }, (_, i) => `Sentence ${i} of the entry goes on.`).join(' ');
    const units = sourcesIn(`<dl><dt>cache</dt><dd>${long}</dd></dl>`, 20_000).flatMap(unitsOf);
    const made = entryOf(units, (term) => term === 'cache')!;
    expect(wordsIn(made.text)).toBeLessThanOrEqual(MOST_WORDS.definition);
    expect(made.cut).toMatch(/^The entry goes on in "/);
  });

  it('is else the sentence that says of the very term what it is', () => {
    const sources = plainSources(
      'We like mirrors here. A mirror is a copy that is kept apart. Mirrors are slow.',
    );
    const equal = scoredIn(sources).map((unit) => ({ ...unit, logit: -1 }));
    expect(definition(equal, [], 'mirror').text).toContain('A mirror is a copy');
  });

  it('is not what says that the term is not something, where another sentence says what it is', () => {
    const sources = plainSources('Mirroring is not required. Mirroring provides a second copy.');
    const equal = scoredIn(sources, 'required');
    expect(definition(equal, [], 'mirroring').text).toBe('Mirroring provides a second copy.');
  });

  it('is an entry whose markup was lost, and stands in another passage where the first says nothing of the term', () => {
    const own = scoredIn(plainSources('The list has clock and mirror. It is long.'), 'list');
    const other = scoredIn(plainSources('clock A clock tells the time.\n\nmirror Another copy. It is slow.'));
    expect(definition(own, other, 'mirror').text).toContain('mirror Another copy.');
    expect(definition(own, other, 'mirrors').text).toContain('The list has clock');
  });
});

it.each([
  ['Flapping occurs when a state changes too often.', 'flapping', true],
  ['Time Periods define when something is done.', 'time period', true],
  ['A zone is a part of the cluster.', 'zone', true],
  ['“Drift” means that a clock goes wrong.', 'drift', true],
  ['The zone is not a part of it.', 'zone', false],
  ['The zone is checked every minute.', 'zone', false],
  ['A zone file is a list of names.', 'zone', false],
  ['Its zone is the one above.', 'file', false],
  ['Use zones.', 'zone', false],
  ['If the zone is a master, wait.', 'zone', false],
  ['This zone is a mess.', 'zone', false],
  ['No zone is a must.', 'zone', false],
  ['The deposit is the problem.', 'deposit', false],
  ['The zone is used up.', 'zone', false],
  ['The table describes the columns:', 'table', false],
  ['What zone is the master?', 'zone', false],
])('"%s" states what "%s" is: %s', (sentence, term, wanted) => {
  expect(states(sentence, term)).toBe(wanted);
});

it.each([
  ['Zone objects are used to say which nodes belong together.', 'zone', true],
  ['The algorithm on determining a flapping state is as follows:', 'flapping', false],
  ['Zones follow.', 'zone', false],
])('"%s" introduces "%s": %s', (sentence, term, wanted) => {
  expect(introduces(sentence, term)).toBe(wanted);
});

describe('a comparison', () => {
  const sidesOf = (...names: string[]) => names.map((name) => ({ name, said: null }));
  const sources = plainSources(
    'Soft keeps the tree. Hard throws the tree away. Mixed is between soft and hard. Rain fell.',
  );

  it('says what names both sides first, then what is said of each', () => {
    const made = comparison(scoredIn(sources, 'Soft', 'Hard', 'Mixed'), sidesOf('soft', 'hard'))!;
    expect(made.text.split('\n')).toEqual([
      'Mixed is between soft and hard.',
      'soft: Soft keeps the tree.',
      'hard: Hard throws the tree away.',
    ]);
    expect(made.quotes.map(({ of }) => of)).toEqual([undefined, 'soft', 'hard']);
  });

  it('names the side of which nothing is said; with neither side there is none', () => {
    const one = comparison(scoredIn(plainSources('Soft keeps the tree.'), 'Soft'), sidesOf('soft', 'sharp'))!;
    expect(one.cut).toBe('Nothing was found on "sharp".');
    expect(comparison(scoredIn(plainSources('Rain fell.')), sidesOf('soft', 'hard'))).toBeNull();
  });
});

describe('a verdict', () => {
  const claim = 'The pump is loud.';
  const weighed = (...scores: [string, number, number][]) => {
    const units = scoredIn(plainSources(scores.map(([text]) => text).join('\n\n')));
    return units.map((unit, i) => ({
      ...unit,
      logit: 6,
      entailment: scores[i]![1],
      contradiction: scores[i]![2],
    }));
  };

  it.each<[string, [string, number, number][], string | undefined]>([
    [
      'yes',
      [
        ['It is loud.', 0.9, 0.02],
        ['Rain fell.', 0.1, 0.1],
      ],
      'yes',
    ],
    ['no', [['It is silent.', 0.02, 0.9]], 'no'],
    [
      'both sides',
      [
        ['It is loud.', 0.9, 0.02],
        ['It is silent.', 0.02, 0.88],
      ],
      'depends',
    ],
    ['a condition that the claim does not have', [['It is loud only if it is dry.', 0.9, 0.02]], 'depends'],
    ['neither', [['Rain fell.', 0.2, 0.3]], undefined],
  ])('%s', (_, scores, expected) => {
    const made = verdict(weighed(...scores), claim);
    expect(made?.verdict).toBe(expected);
    if (expected === 'depends' && scores.length > 1) {
      expect(made!.quotes.map(({ role }) => role)).toEqual(['supports', 'denies']);
    }
  });
});

describe('several values', () => {
  it('are the items of the list that the span stands in, or what an enumeration parts', () => {
    const sources = sourcesIn('<p>It reads:</p><ul><li>wav</li><li>ogg</li><li>wav</li></ul>');
    const units = unitsOf(sources[0]!);
    const ogg = units.find((unit) => unit.source.evidence.text.slice(unit.start, unit.end) === 'ogg')!;
    expect(values(units, sources[0]!, ogg, true)?.quotes.map(({ text }) => text)).toEqual(['wav', 'ogg']);
    const [plain] = plainSources('It reads wav, ogg and flac files.');
    const at = { start: 9, end: 26 };
    expect(values(unitsOf(plain!), plain!, at, true)?.text).toBe('- wav\n- ogg\n- flac');
    expect(values(unitsOf(plain!), plain!, { start: 9, end: 12 }, true)).toBeNull();
  });

  it('are the lines of the code that the span stands in', () => {
    const [source] = sourcesIn(
      '<p>The levels are:</p><pre>\ndebug 1 # requests\n\n  debug 2 # headers\n</pre>',
    );
    const at = source!.evidence.text.indexOf('1');
    const made = values(unitsOf(source!), source!, { start: at, end: at + 1 }, true);
    expect(made?.text).toBe('- debug 1 # requests\n- debug 2 # headers');
  });

  it('of a list that goes on in a passage behind are followed there, and more than is shown is said', () => {
    const items = Array.from({ length: 60 }, (_, i) => `<li>bird ${i + 1}</li>`).join('');
    const sources = sourcesIn(`<p>These were seen:</p><ul>${items}</ul>`, 24);
    const home = sources.find(({ evidence }) => evidence.text.includes('bird 1'));
    const at = { start: 0, end: home!.evidence.text.length };
    const all = values(sources.flatMap(unitsOf), home!, at, true);
    expect(all?.quotes).toHaveLength(20);
    expect(all?.cut).toBe('40 of 60 values are not shown.');
    const some = values(unitsOf(home!), home!, at, false);
    expect(some?.cut).toMatch(/^More values are in ".*" than are shown\.$/);
  });
});
