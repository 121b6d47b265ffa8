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

let folder: string;
let scorers: Scorers;
let router: Router;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-answered-'));
  for (const [name, html] of Object.entries(PAGES)) await writeFile(join(folder, name), html);
  scorers = await openScorers({ threads: 1 });
  const index = join(folder, 'index');
  await indexDocuments([join(folder, 'kettle.html'), join(folder, 'urn.html')], { out: index, scorers });
  router = await openRouter({ index, scorers });
});
afterAll(async () => {
  await router?.close();
  await scorers?.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = async (query: string) => {
  const decision = Decision.parse(await router.route({ id: 'q', query }));
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
