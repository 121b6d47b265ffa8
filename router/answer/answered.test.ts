/** Answers in their forms, from real documents by the real models. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexDocuments } from '../../corpus/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { Decision } from '../contracts.ts';
import { openRouter } from '../open-router.ts';
import type { Router } from '../types.ts';

const PAGES = {
  'kettle.html':
    '<title>Kettle</title><h1>Kettle</h1><h2>Cleaning</h2><p>Lime makes the kettle slow. To descale the kettle, do this:</p>' +
    '<ol><li>Unplug the kettle.</li><li>Fill it with vinegar.</li><li>Wait for an hour.</li><li>Rinse it twice.</li></ol>' +
    '<h2>Terms</h2><dl><dt>limescale</dt><dd>A hard white layer of chalk that hot water leaves behind.</dd>' +
    '<dt>--quiet</dt><dd>Boils without the beep at the end.</dd>' +
    '<dt>mode 1</dt><dd>Holds 80 degrees for green tea.</dd><dt>mode2</dt><dd>Boils milk in short bursts.</dd></dl>' +
    '<h2>Power</h2><p>The kettle draws 2200 watts. It must not be left alone while it boils.</p>',
  'urn.html':
    '<title>Urn</title><h1>Urn</h1><h2>Variables</h2><h3>1. boil_limit</h3><p>Type: number. Default: 5</p><p>How often the urn may boil an hour.</p>' +
    '<h3>2. boil_limit_night</h3><p>Type: number. Default: 60</p><p>How often the urn may boil in one whole night.</p>' +
    '<h3>3. lid</h3><p>Type: boolean. When set along with $boil_limit, the lid stays shut while the urn boils.</p>' +
    '<h2>Codes</h2><p>What the state of the urn may mean:</p><dl><dt>PG PAUSING</dt><dd>Boiler rests for the present.</dd><dt>WT WAITING</dt><dd>Nobody is there.</dd></dl>' +
    '<h2>Keys</h2><table><tr><th>Function</th><th>Key</th><th>What it does</th></tr><tr><td>&lt;sound-horn&gt;</td><td>o</td><td>sounds the horn</td></tr>' +
    '<tr><td>&lt;shut-lid&gt;</td><td>s</td><td>shuts the lid for good</td></tr></table><h2>Use</h2><p>The urn keeps water warm for six hours because its wall is double. The urn holds 12 litres.</p>',
};

/** Pages as a generator of documentation makes them, two of which share a section. */
const RETURN_CODES =
  '<h2>Return codes</h2><p>Brew ends with one of the following return codes:</p><table><tr><th>Code</th><th>Meaning</th></tr>' +
  '<tr><td>0</td><td>tea is ready</td></tr><tr><td>7</td><td>leaves are missing</td></tr></table>';
const SITE = {
  'steep.html':
    '<title>brew steep — Brew 2.1 documentation</title><h1>brew steep</h1><pre>brew steep [-q] POT</pre>' +
    '<table><tr><td colspan="3">options</td></tr><tr><td></td><td>-q, --quick-pour</td><td>pour before the leaves sink</td></tr></table>' +
    '<h2>Description</h2><p>This command leaves the tea in the pot until it is dark. It is of no use without leaves.</p>' +
    '<h2>Examples</h2><p>Be careful, brew steep is a slow command and will hold the pot for minutes.</p>',
  'rinse.html':
    '<title>brew rinse — Brew 2.1 documentation</title><h1>brew rinse</h1><pre>brew rinse POT</pre>' +
    '<dl><dt>brew.rinse(pot, warm_water=False, times=1)</dt><dd><p>Rinses the pot.</p><p>With <i>warm_water</i> the water is heated before.</p></dd></dl>' +
    '<h2>Description</h2><p>This command washes the pot with cold water. Afterwards it is empty.</p>',
  'faq.html':
    '<title>Questions — Brew 2.1 documentation</title><h1>Questions</h1><h2>Can Brew heat the cups to keep the tea from getting cold?</h2>' +
    '<p>No, it cannot. While that at first sounds like a good idea, heating cups needs a second plate and a lot of current.</p>' +
    '<h2>How is a pot emptied?</h2><p>To empty a pot, open its tap with brew tap and wait until nothing comes.</p>',
  'changes.html':
    '<title>Change log — Brew 2.1 documentation</title><h1>Change log</h1><h2>Version 2.0.1 (2019-02-24)</h2>' +
    '<p>New features:</p><ul><li>brew steep: brew steep leaves the pot alone when it is steeped</li><li>brew tap: how a pot is emptied, empty pots</li></ul>',
  'general.html': `<title>General — Brew 2.1 documentation</title><h1>General</h1><p>All commands take a pot.</p>${RETURN_CODES}`,
  'brew.html': `<title>brew — Brew 2.1 documentation</title><h1>brew</h1><p>Brew makes tea, and no coffee.</p>${RETURN_CODES}`,
};

/** A manual in Markdown, with anchors, escapes, links and tables of attributes, one of which says nothing. */
const MANUAL = {
  'objects.md':
    '# Objects <a id="objects"></a>\n\n## Boiler <a id="boiler"></a>\n\nHeats the water.\n\n' +
    '  Name | Type | Description\n  -----|------|------------\n' +
    '  max\\_boil\\_time | Duration | **Optional.** How long it [boils](usage.md#boil) at most. Defaults to 5m.\n' +
    '  circuit | Name | **Optional.** The circuit that this boiler is a member of.\n  surging | Flag | Whether it surges.\n\n' +
    '## Circuit <a id="circuit"></a>\n\nCircuit objects are used to say which boilers share one pipe.\n',
  'usage.md':
    '# Usage\n\n## Guard against surging <a id="surging"></a>\n\nBoilers may notice "surging" early.\n\n' +
    'Surging occurs when the pressure changes too often, which wears the valve out.\n\n!!! tip\n\n    Use `boil -q` with [care](care.md).\n',
  'appendix.md':
    '# Appendix\n\n## Columns\n\n  Key | Type | Note\n  ----|------|-----\n  name | string | .\n  max_boil_time | int | .\n  surging | int | .\n',
};

/** Settings in sections, and questions as headings. */
const GUIDE = {
  'settings.html':
    '<title>Settings</title><h1>Settings</h1><h2>[lamp]</h2><dl><dt>colour</dt><dd>The paint on the housing, as a number.</dd></dl>' +
    '<h2>[boiler]</h2><dl><dt>colour</dt><dd>What the boiler is painted with before it is sold.</dd><dt>surges</dt><dd>Whether surges are counted.</dd></dl>' +
    '<h2>[device]</h2><dl><dt>ID</dt><dd>The device ID.</dd></dl>',
  'questions.html':
    '<title>Questions</title><h1>Questions</h1><h2>What are surges?</h2><p>Surges are short rises of the pressure. They wear the valve out.</p>' +
    '<h2>Device IDs</h2><p>A device ID is a number that every boiler has on its plate.</p>',
  'behaviour.html':
    '<title>Behaviour</title><h1>Behaviour</h1><h2>4.2. Flame follows thermostat</h2><p>By default, the flame rises as the room gets cold. ' +
    'The thermostat will still be useful with a fixed flame.</p><pre>flame_follows_thermostat yes|no</pre>' +
    '<h2>4.3. Buffer tanks</h2><p>Two pipes lead to every tank that keeps warm water for the night. They are of copper.</p>' +
    '<p>As the name says, this is of use where much water is wanted at once.</p>',
};

let folder: string;
let scorers: Scorers;
let router: Router;
let site: Router;
let manual: Router;
let guide: Router;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-answered-'));
  for (const [name, page] of Object.entries({ ...PAGES, ...SITE, ...MANUAL, ...GUIDE }))
    await writeFile(join(folder, name), page);
  scorers = await openScorers({ threads: 1 });
  const index = join(folder, 'index');
  await indexDocuments([join(folder, 'kettle.html'), join(folder, 'urn.html')], { out: index, scorers });
  router = await openRouter({ index, scorers });
  const pages = Object.keys(SITE).map((name) => join(folder, name));
  await indexDocuments(pages, { out: join(folder, 'site'), scorers });
  site = await openRouter({ index: join(folder, 'site'), scorers });
  const texts = Object.keys(MANUAL).map((name) => join(folder, name));
  await indexDocuments(texts, { out: join(folder, 'manual'), scorers });
  manual = await openRouter({ index: join(folder, 'manual'), scorers });
  const guides = Object.keys(GUIDE).map((name) => join(folder, name));
  await indexDocuments(guides, { out: join(folder, 'guide'), scorers });
  guide = await openRouter({ index: join(folder, 'guide'), scorers });
});
afterAll(async () => {
  await router?.close();
  await site?.close();
  await manual?.close();
  await guide?.close();
  await scorers?.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = async (query: string, of: Router = router) => {
  const decision = Decision.parse(await of.route({ id: 'q', query }));
  for (const { text, passageId, start, end } of decision.answer?.quotes ?? []) {
    const passage = decision.evidence.find((each) => each.passageId === passageId)!;
    expect(passage.text.slice(start - passage.start, end - passage.start)).toBe(text);
  }
  for (const unit of ['docsScored', 'rerankPairs', 'nliPairs', 'contextTokens'] as const) {
    expect(decision.receipt.spent[unit]).toBeLessThanOrEqual(decision.receipt.budget[unit]);
  }
  return decision;
};

it('gives a procedure as its steps, in order and with what announces them', async () => {
  const { answer } = await ask('How do I descale the kettle?');
  expect(answer?.form).toBe('steps');
  expect(answer?.text).toContain(
    'To descale the kettle, do this:\n1. Unplug the kettle.\n2. Fill it with vinegar.\n3. Wait for an hour.\n4. Rinse it twice.',
  );
});

it('gives a definition as the entry of its term, and an option as its own', async () => {
  expect((await ask('What is limescale?')).answer).toMatchObject({
    form: 'definition',
    text: 'limescale: A hard white layer of chalk that hot water leaves behind.',
  });
  expect((await ask('What does the option --quiet do?')).answer?.text).toBe(
    '--quiet: Boils without the beep at the end.',
  );
});

it('tells a variable by its own section, with its mark or without, and not by those beside it', async () => {
  const { answer } = await ask('What does $boil_limit do?');
  expect(answer?.text).toContain('an hour');
  const asked = await ask('What is the default value of boil_limit?');
  expect(asked.answer?.text).toContain('5');
  expect(asked.answer?.text).not.toContain('60');
});

it('tells a function in brackets by its own row', async () => {
  const { answer } = await ask('What does <shut-lid> do?');
  expect(answer?.text).toContain('shuts the lid for good');
  expect(answer?.text).not.toContain('horn');
});

it('tells a code by its entry, though nothing is likely to answer', async () => {
  expect((await ask('What does the state code PG mean?')).answer?.text).toContain('Boiler rests');
  expect((await ask('What does the state code PX mean?')).action).toBe('ABSTAIN');
});

it('compares two things by what explains each, though nothing compares them and it is written otherwise', async () => {
  const { answer } = await ask("mode 1 or mode 2: what's the difference?");
  expect(answer?.form).toBe('comparison');
  expect(answer?.text).toContain('mode 1: mode 1: Holds 80 degrees');
  expect(answer?.text).toContain('mode 2: mode2: Boils milk');
});

it('tells what a command does by the description on its page, and compares two by theirs', async () => {
  const steep = await ask('What does brew steep do?', site);
  expect(steep.answer?.text).toMatch(/^This command leaves the tea in the pot until it is dark\./);
  const { answer } = await ask('What is the difference between brew steep and brew rinse?', site);
  expect(answer?.text).toContain('brew steep: This command leaves the tea');
  expect(answer?.text).toContain('brew rinse: This command washes the pot');
});

it('tells an option by its row, though the row is indented by an empty cell', async () => {
  const { answer } = await ask('What does the --quick-pour option do?', site);
  expect(answer?.text).toBe('-q, --quick-pour | pour before the leaves sink');
});

it('tells an attribute of a manual in Markdown by the row that says something of it, as a reader sees it', async () => {
  const { answer } = await ask('What does max_boil_time mean?', manual);
  expect(answer?.text).toBe(
    'max_boil_time | Duration | Optional. How long it boils at most. Defaults to 5m.',
  );
});

it('tells a word by the sentence that states what it is, not by a column of that name', async () => {
  const surging = await ask('What is surging?', manual);
  expect([surging.action, surging.answer?.form]).toEqual(['ANSWER', 'definition']);
  expect(surging.answer?.text).toMatch(/^Surging occurs when the pressure changes too often/);
  expect((await ask('What is a circuit?', manual)).answer?.text).toMatch(/^Circuit objects are used to say/);
});

it('tells an argument by what is said of it, not by the function that has it', async () => {
  const { answer } = await ask('What does warm_water do?', site);
  expect(answer?.text).toContain('With warm_water the water is heated');
  expect(answer?.text).not.toContain('times=1');
});

it('tells what is asked below the same question, and not by an entry of that name', async () => {
  const { answer } = await ask('What are surges?', guide);
  expect(answer?.text).toMatch(/^Surges are short rises of the pressure/);
});

it('tells a setting by its section and name, and no term by an entry that only repeats it', async () => {
  const { answer } = await ask('What does boiler.colour do?', guide);
  expect(answer?.text).toBe('colour: What the boiler is painted with before it is sold.');
  const device = await ask('What is a device ID?', guide);
  expect(device.answer?.text).toMatch(/^A device ID is a number/);
});

it('tells an identifier, and a word in another form, by how the section begins that has its name', async () => {
  const flame = await ask('What does flame_follows_thermostat do?', guide);
  expect(flame.answer?.text).toMatch(/^By default, the flame rises as the room gets cold\./);
  const tank = await ask('What is a buffer tank?', guide);
  expect(tank.answer?.text).toMatch(/^Two pipes lead to every tank/);
});

it('never says yes where the section that asks the same begins with no', async () => {
  const { answer } = await ask('Can Brew heat the cups to keep tea from going cold?', site);
  expect(answer?.verdict).not.toBe('yes');
  expect(answer?.text).toContain('No, it cannot.');
});

it('answers from the present and not from a change log, unless that is asked for', async () => {
  const { answer } = await ask('How do I empty a pot?', site);
  expect([...new Set(answer?.quotes.map(({ docId }) => docId))]).toEqual([
    expect.stringContaining('faq.html'),
    expect.stringContaining('rinse.html'),
  ]);
  const changed = await ask('What has changed in version 2.0.1?', site);
  expect(changed.evidence[0]?.docId).toContain('changes.html');
});

it('shows once what two pages share, and the values in place of the words that announce them', async () => {
  const { answer, evidence } = await ask('Which return codes does brew end with?', site);
  expect(answer?.text.match(/tea is ready/g)).toHaveLength(1);
  expect(evidence.filter(({ title }) => title.endsWith('Return codes'))).toHaveLength(1);
});

it('gives a quantity as a span inside its sentence, a reason as the sentence that gives it', async () => {
  const { answer } = await ask('How many watts does the kettle draw?');
  expect(answer?.quotes[0]?.text).toContain('2200');
  const why = await ask('Why does the urn keep water warm?');
  expect(why.answer).toMatchObject({
    form: 'explanation',
    text: expect.stringContaining('because its wall is double'),
  });
});

it('refuses what no passage answers', async () => {
  expect((await ask('Who is the mayor of Lisbon?')).action).toBe('ABSTAIN');
});

it('makes both answers for measurements, each as it is given where it is decided', async () => {
  for (const query of ['How many watts does the kettle draw?', 'How do I descale the kettle?']) {
    const { decision, composed } = await router.explain({ id: 'q', query }, { compose: 'free' });
    expect(decision.action).toBe('ANSWER');
    const { support, ...shown } = decision.answer!;
    expect(support).toBe(1);
    expect([composed?.span, composed?.passage]).toContainEqual(shown);
  }
  expect((await router.explain({ id: 'q', query: 'How heavy is the urn?' })).composed).toBeNull();
});
