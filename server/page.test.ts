/** The page in a real Chromium, over a real server: asked, read and operated as people do. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { loadCalibration, loadLabelled } from '../calibration/index.ts';
import { NO_LABELS, parsePolicy } from '../governance/index.ts';
import { people } from '../governance/testing/people.ts';
import { indexDocuments } from '../router/index.ts';
import { demoIndex } from '../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openLog } from '../workers/health/log.ts';
import type { Server, ServerOptions } from './server.ts';
import { calibrate, forSources } from './testing/calibrate.ts';
import { keyWith, testServer } from './testing/serve.ts';

const FACT = 'Up to which wind speed may technicians climb a mast?';
const QUOTED = [
  'Climbing a mast is forbidden when the wind is stronger than 10 metres per second.',
  'It is also forbidden during a thunderstorm, with ice on the mast, and in the dark.',
];
const SAID = QUOTED.join(' ');
const STEPS = 'How do I replace the battery of a Gullbox?';
const OPEN = 'How often is it calibrated?';
const UNKNOWN = 'Who won the football world cup in 1998?';
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-page-'));
const index = path.join(folder, 'index');
let scorers: Scorers;
let server: Server;
let browser: Browser;
let page: Page;
/** What the page complained of, and where it asked for something. */
const complaints: string[] = [];
let asked: string[] = [];

beforeAll(async () => {
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  server = await opened();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await server?.close(0);
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  // Before what it asks is gone, of which it would complain.
  await page.context().close();
  for (const server of served.splice(0)) await server.close(0);
  asked = [];
  expect(complaints.splice(0)).toEqual([]);
});

function opened(options: Partial<ServerOptions> = {}): Promise<Server> {
  const log = openLog({ level: 'silent', write: () => {} });
  return testServer({ collections: [{ name: 'demo', index, scorers }], scorers, log, ...options });
}

/** Servers of the test that runs. */
const served: Server[] = [];

async function serve(options: Partial<ServerOptions>): Promise<Server> {
  const server = await opened(options);
  served.push(server);
  return server;
}

/** The page, opened anew. */
async function visit(options: BrowserContextOptions = {}, { url } = server): Promise<void> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(url);
}

const known = people(folder);

interface Person {
  person: string;
  roles?: string[];
}

const tokenOf = ({ person, roles }: Person) => known.tokenOf(person, roles);

/** The page, opened by somebody with a key or, by their name, a person with a token. */
async function visitAs({ url }: Server, key: string | Person): Promise<void> {
  await page?.context().close();
  await visit({}, { url } as Server);
  await page.getByLabel('API key or token').fill(typeof key === 'string' ? key : await tokenOf(key));
  await page.getByRole('button', { name: 'Use this key' }).click();
  await question().waitFor();
  // Of the refusal that asked for the key.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
}

const question = () => page.getByLabel(/Your question|Ihre Frage/);
const turns = () => page.getByRole('article');

async function ask(query: string): Promise<void> {
  const before = await turns().count();
  await question().fill(query);
  await question().press('Enter');
  await decided(before);
}

const decided = (nth: number) => turns().nth(nth).locator('.decided').waitFor({ timeout: 60_000 });

/** Rules of accessibility that are broken, seriously or worse. */
async function barriers(): Promise<string[]> {
  // As the tools of a browser do, beside the policy that holds for the page itself.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}

it('answers, and shows the quote marked in its document', async () => {
  await visit();
  await ask(FACT);
  const answer = turns().first();
  expect(await answer.locator('.text').innerText()).toBe(SAID);
  await answer.locator('figcaption button').first().click();
  const source = page.getByRole('complementary', { name: 'Source' });
  await source.locator('mark').first().waitFor();
  const marked = await source.locator('mark').allInnerTexts();
  expect(marked.map((text) => text.replace(/\s+/g, ' '))).toEqual(QUOTED);
  // The whole document, not the passage alone.
  expect(await source.locator('.document > div').count()).toBeGreaterThan(1);
  expect(await barriers()).toEqual([]);
  await page.keyboard.press('Escape');
  await source.waitFor({ state: 'detached' });
  expect(asked.every((url) => url.startsWith(server.url))).toBe(true);
});

it('gives the steps of a procedure, each on a line of its own', async () => {
  await visit();
  await ask(STEPS);
  const text = await turns().first().locator('.text').innerText();
  expect(text.split('\n').filter((line) => line.trim() !== '').length).toBeGreaterThan(2);
});

it('puts a question back as choices, and takes the choice', async () => {
  await visit();
  await ask(OPEN);
  const choices = turns().first().locator('.choices button');
  expect(await choices.count()).toBeGreaterThan(1);
  expect(await barriers()).toEqual([]);
  await choices.filter({ hasText: 'Barometer' }).click();
  await decided(1);
  expect(await turns().nth(1).locator('.kind').first().innerText()).toBe('Answer');
  expect(await choices.first().isDisabled()).toBe(true);
});

it('takes a question before it knows which documents there are', async () => {
  await visit();
  await page.route('**/v1/collections', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  await page.reload();
  await ask(FACT);
  await turns().first().locator('figcaption button').first().click();
  await page.locator('aside mark').first().waitFor();
  expect(await turns().first().locator('.text').innerText()).toBe(SAID);
});

it('says why not, and what there is', async () => {
  await visit();
  await ask(UNKNOWN);
  const turn = turns().first();
  expect(await turn.locator('.kind').allInnerTexts()).toEqual(['No answer', 'What the documents have']);
  expect(await turn.locator('.message').innerText()).toContain('football');
  expect(await barriers()).toEqual([]);
});

it('shows stages while they come, and stops when told to', async () => {
  await visit();
  // Held until it is stopped, however fast the machine is.
  await page.route('**/v1/decisions?*', () => {});
  await question().fill(FACT);
  await question().press('Enter');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  await page.unroute('**/v1/decisions?*');
  let seen = '';
  await page.exposeFunction('sawStages', (text: string) => (seen += text));
  await page.evaluate(`new MutationObserver(() => {
    const stages = document.querySelector('.stages');
    if (stages) sawStages(stages.textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
  await ask(FACT);
  for (const stage of ['Question read as FACT', 'Passages looked at: ', 'Evidence weighed: D ']) {
    expect(seen).toContain(stage);
  }
});

it('is operated by keyboard alone', async () => {
  await visit();
  await question().focus();
  await page.keyboard.type(FACT);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Ask');
  await page.keyboard.press('Enter');
  await decided(0);
  expect(await page.evaluate('document.activeElement.id')).toBe('question');
  for (let i = 0; i < 20; i += 1) {
    await page.keyboard.press('Shift+Tab');
    if (await page.evaluate('document.activeElement.matches("figcaption button")')) break;
  }
  await page.keyboard.press('Enter');
  await page.locator('aside mark').first().waitFor();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
});

it.each([
  ['dark', { colorScheme: 'dark' as const }],
  ['narrow', { viewport: { width: 320, height: 640 } }],
  ['German', { locale: 'de-DE' }],
])('is as good when it is %s', async (kind, options) => {
  await visit(options);
  await ask(FACT);
  await turns().first().locator('figcaption button').first().click();
  await page.locator('aside mark').first().waitFor();
  expect(await barriers()).toEqual([]);
  // Nothing has to be scrolled sideways.
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await page.evaluate('document.documentElement.lang')).toBe(kind === 'German' ? 'de' : 'en');
  if (kind === 'German')
    expect(await turns().first().locator('.kind').first().innerText()).toBe('Wahrscheinlich');
});

it('takes nothing that people write for markup', async () => {
  const own = path.join(folder, 'hostile');
  const file = path.join(folder, 'kiln.txt');
  const words = 'The kiln <img src=x onerror=alert(1)> is fired at <b>1240 degrees</b> for nine hours.';
  writeFileSync(file, words);
  await indexDocuments([file], { out: own, scorers });
  const hostile = await serve({ collections: [{ name: 'demo', index: own, scorers }] });
  await visit({}, hostile);
  await ask('At how many degrees is the kiln fired? <script>alert(1)</script>');
  await page.locator('figcaption button').first().click();
  await page.locator('aside mark').first().waitFor();
  expect(await page.locator('aside .document').innerText()).toContain('<b>1240 degrees</b>');
  expect(await page.locator('main img, main b, main script').count()).toBe(0);
});

it('keeps what is said of a decision as a label, and what is said later in its place', async () => {
  const labels = path.join(folder, 'labels');
  const keeping = await serve({ labels });
  const lines = () =>
    readFileSync(path.join(labels, 'demo.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  await visit({}, keeping);
  const sure = 'When was the FTP feed retired?';
  await ask(sure);
  const said = (nth: number) => turns().nth(nth).getByRole('status');
  await turns().first().getByRole('button', { name: 'Right' }).click();
  await said(0).getByText('Labels: 1. Documents: 1').waitFor();
  expect(lines()).toEqual([
    expect.objectContaining({ query: sure, action: 'ANSWER', answers: ['30 June 2023'] }),
  ]);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await ask(UNKNOWN);
  await turns().first().getByRole('button', { name: 'Wrong' }).click();
  await page.getByLabel('The right answer').fill('twelve metres');
  expect(await barriers()).toEqual([]);
  await page.keyboard.press('Enter');
  await said(0).getByText('Labels: 2').waitFor();
  await turns().first().getByRole('button', { name: 'Nothing answers it' }).click();
  await expect.poll(() => lines()[1].action).toBe('ABSTAIN');
  expect(lines()).toHaveLength(2);
  const examples = await loadLabelled(path.join(labels, 'demo.ndjson'));
  expect(examples.map(({ answerable }) => answerable)).toEqual([true, false]);
});

it('shows whoever runs it what was decided, how long it took, and what another threshold would do', async () => {
  const made = path.join(folder, 'made.json');
  await calibrate(index, made, ['--split', '20/30/50']);
  const calibrationFile = await forSources(made);
  const thresholds = await loadCalibration(calibrationFile);
  const collections = [{ name: 'demo', index, scorers, calibrationFile, thresholds }];
  const calibrated = await serve({ collections });
  await visit({}, calibrated);
  await ask(FACT);
  await ask(UNKNOWN);
  await page.getByRole('link', { name: 'Operation' }).press('Enter');
  const recent = page.getByRole('region', { name: 'The latest first' }).getByRole('row');
  await recent.nth(2).waitFor();
  expect(await recent.nth(1).innerText()).toContain(UNKNOWN);
  expect(await recent.nth(2).innerText()).toContain('10 metres per second');
  expect(await page.getByRole('region', { name: 'By speech act' }).innerText()).toContain('FACT\t1\t0\t1');
  const stages = page.getByRole('region', { name: 'Milliseconds by stage' });
  expect(await stages.getByRole('row').nth(1).innerText()).toMatch(/^total\t2\t/);
  await page.getByText('No alarm.').waitFor();

  const slider = page.getByRole('slider', { name: 'Another threshold' });
  const said = page.getByRole('region', { name: 'Thresholds' }).getByRole('status');
  const promise = await said.innerText();
  expect(promise).toContain('66 %');
  await slider.press('Home');
  await expect.poll(() => said.innerText()).toMatch(/^nothing is answered, Answered 0 .*Nothing is promised/);
  await slider.press('End');
  const { acts } = JSON.parse(readFileSync(calibrationFile, 'utf8'));
  const act = await page.getByRole('combobox', { name: 'Act' }).inputValue();
  const { curve, test } = acts.find((each: { act: string }) => each.act === act);
  const [tau, answered] = curve.at(-1);
  await expect
    .poll(() => slider.getAttribute('aria-valuetext'))
    .toContain(`tau ${tau.toFixed(3)}, Answered ${answered} / ${test.coverage.of}`);
  expect(await barriers()).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await barriers()).toEqual([]);
  await page.getByLabel('Language').selectOption('Deutsch');
  await page.getByText('Kein Alarm.').waitFor();
  await page.getByRole('link', { name: 'Fragen' }).press('Enter');
  await expect.poll(() => turns().count()).toBe(2);
});

it('shows how things are run to those who may see it, and says that nothing is promised', async () => {
  await visit();
  // Also where the address changes in the moment in which the page begins.
  await page.addInitScript(`addEventListener('DOMContentLoaded', () => (location.hash = '#operation'))`);
  await page.reload();
  await page.getByText('There is no calibration').waitFor();
  const keys = path.join(folder, 'operators.json');
  const key = await keyWith(keys, ['decide', 'retrieve']);
  const closed = await serve({ keys });
  await page.context().close();
  await visit({}, closed);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await question().waitFor();
  expect(await page.getByRole('link').count()).toBe(0);
  await page.goto(`${closed.url}/#operation`);
  await question().waitFor();
  complaints.splice(0);
});

it('shows a person what is remembered of them, to correct, take along and erase, by keyboard too', async () => {
  const keys = path.join(folder, 'memory-keys.json');
  const key = await keyWith(keys, ['decide', 'retrieve']);
  const keeping = await serve({
    keys,
    principals: known.file,
    memory: { dir: path.join(folder, 'memory') },
  });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  await visitAs(keeping, { person: '<b>ann</b>' });
  await page.getByRole('link', { name: 'What is remembered of you' }).press('Enter');
  await button('Remember what I say of myself').press('Enter');
  await said('You agreed to being remembered.');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
  await page.getByText('You agreed as <b>ann</b>').waitFor();
  // It was not there when it was asked for first.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);

  await page.getByLabel('My …').fill('station');
  await page.getByLabel('is', { exact: true }).fill('<img src=x onerror=alert(1)>');
  await page.keyboard.press('Enter');
  await said('It is remembered.');
  await row('station').getByText('<img src=x onerror=alert(1)>').waitFor();
  await row('station').getByText('no conversation').waitFor();
  expect(await row('station').locator('time').count()).toBe(2);
  await page.getByLabel('My …').fill('<i>');
  await page.getByLabel('is', { exact: true }).fill('x');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('is no word or words').waitFor();
  expect(await page.getByLabel('My …').inputValue()).toBe('<i>');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);

  await button('Correct: station').press('Enter');
  expect(await barriers()).toEqual([]);
  await page.keyboard.press('Escape');
  await button('Correct: station').press('Enter');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Gullbox');
  await page.keyboard.press('Enter');
  await said('It is corrected.');
  await row('station').getByText('Gullbox').waitFor();
  expect(await page.locator('main img, main b, main i').count()).toBe(0);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button('Take along (JSON)').press('Enter'),
  ]);
  expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({
    schema: 'pragaura.memory/1',
    person: '<b>ann</b>',
    entries: [{ type: 'fact', name: 'station', value: 'Gullbox' }],
  });
  await button('Forget: station').press('Enter');
  await said('It is forgotten.');
  expect(await row('station').count()).toBe(0);

  await button('Forget everything').press('Enter');
  expect(await barriers()).toEqual([]);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Keep it');
  await page.keyboard.press('Enter');
  await page.getByText('You agreed as').waitFor();
  await button('Forget everything').press('Enter');
  await button('Yes, forget everything').press('Enter');
  await said('Everything is forgotten.');
  await button('Remember what I say of myself').waitFor();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await barriers()).toEqual([]);

  await visitAs(keeping, key);
  await page.getByRole('link', { name: 'What is remembered of you' }).press('Enter');
  await page.getByText('A key is of an application').waitFor();
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('403')]);
});

it('shows a person what is kept of what they asked, to agree to and erase', async () => {
  const keys = path.join(folder, 'queries-keys.json');
  const key = await keyWith(keys, ['decide', 'retrieve']);
  const defaults = { store: path.join(folder, 'defaults.db'), tenant: 'default' };
  const keeping = await serve({
    keys,
    principals: known.file,
    collections: [{ name: 'demo', index, scorers, defaults }],
    queryLog: { file: path.join(folder, 'queries.db'), create: true },
  });
  const button = (name: string) => page.getByRole('button', { name });
  const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
  const link = () => page.getByRole('link', { name: 'What you asked about' });
  await visitAs(keeping, { person: 'ann' });
  await link().press('Enter');
  await page.getByText('Nothing is kept of what you ask.').waitFor();
  await button('Keep what I ask about').press('Enter');
  await said('What you ask about is kept from now on.');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
  await page.getByRole('link', { name: 'Ask', exact: true }).press('Enter');
  await ask('When was the FTP feed switched off?');
  await link().press('Enter');
  await page.getByRole('row').filter({ hasText: 'FTP' }).waitFor();
  expect(await barriers()).toEqual([]);
  await button('Erase it, and keep nothing more').press('Enter');
  await said('It is erased, and nothing more is kept.');
  expect(await page.getByRole('row').count()).toBe(0);
  expect(complaints).toEqual([]);

  await visitAs(keeping, key);
  await link().press('Enter');
  await page.getByText('A key is of an application').waitFor();
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('403')]);
});

it('shows what waits for whoever looks, and lets others than the proposer approve it, with a reason', async () => {
  const own = path.join(folder, 'governed');
  const docs = path.join(folder, 'docs');
  mkdirSync(docs);
  writeFileSync(path.join(docs, 'fees.md'), '# Fees\n\nThe application fee is 40 crowns.\n');
  await indexDocuments([docs], { out: own, scorers });
  const policy = `permit (principal in Role::"staff", action in
    [Action::"read", Action::"propose", Action::"review", Action::"apply"], resource is Document);`;
  const governed = await serve({
    collections: [{ name: 'house', index: own, scorers }],
    principals: known.file,
    access: { policy: parsePolicy(policy, 'policy.cedar'), labels: NO_LABELS },
    audit: { file: path.join(folder, 'audit.log'), key: path.join(folder, 'audit.key') },
    writable: {},
  });
  const [ann, bob, cat] = ['ann', 'bob', 'cat'].map((person) => ({ person, roles: ['staff'] })) as [
    Person,
    Person,
    Person,
  ];
  const button = (name: string) => page.getByRole('button', { name });
  const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
  const look = async (person: Person, waiting: number) => {
    await visitAs(governed, person);
    await page.getByRole('link', { name: 'Proposed changes' }).press('Enter');
    await said(`Wait for you: ${waiting}`);
  };
  const claim = 'The application fee is <b>50</b> crowns.';
  const made = await fetch(`${governed.url}/v1/collections/house/tickets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await tokenOf(ann)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      claim,
      put: [{ id: 'docs/fees.md', text: '# Fees\n\nThe application fee is <b>50</b> crowns.\n' }],
      proof: [{ name: '<img src=x onerror=alert(1)>.txt', text: 'The fee is 50 crowns since May.' }],
    }),
  });
  const { id } = (await made.json()) as { id: number };

  await look(bob, 1);
  expect(await barriers()).toEqual([]);
  await page.getByRole('link', { name: claim }).press('Enter');
  await page.getByRole('heading', { name: claim }).waitFor();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
  expect(await page.locator('del').innerText()).toBe('The application fee is 40 crowns.');
  expect(await page.locator('ins').innerText()).toContain('crowns.');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button('<img src=x onerror=alert(1)>.txt').press('Enter'),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toBe('The fee is 50 crowns since May.');
  expect(await button('Approve').count()).toBe(0);
  await button('Measure what it would do').press('Enter');
  await said('Done. It is now TRIAGED');
  await page.getByText('It is there to be looked at, and decides nothing.').waitFor();
  expect(await page.getByText(/^Trust: 0\.\d\d = /).count()).toBe(1);
  expect(await barriers()).toEqual([]);
  // Not without a reason.
  await button('Approve').press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('because');
  await page.keyboard.type('Seen the letter.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await said('Done. It is now UNDER_REVIEW');
  await page.getByText('bob: Seen the letter.').waitFor();
  expect(await button('Approve').count()).toBe(0);

  await look(ann, 0);
  await page.goto(`${governed.url}/#tickets/${id}`);
  await button('Withdraw it').waitFor();
  expect(await button('Approve').count()).toBe(0);

  await look(cat, 1);
  await page.getByRole('link', { name: claim }).press('Enter');
  await button('Approve').waitFor();
  // Somebody else is faster.
  const again = await fetch(`${governed.url}/v1/collections/house/tickets/${id}/triage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await tokenOf(bob)}` },
  });
  expect(again.status).toBe(200);
  await page.getByLabel('Why?').fill('Right.');
  await button('Approve').click();
  await page.getByRole('alert').getByText('was changed meanwhile').waitFor();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  await page.getByLabel('Why?').fill('Right.');
  await button('Approve').click();
  await said('Done. It is now UNDER_REVIEW');
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await barriers()).toEqual([]);

  await look(bob, 1);
  await page.getByRole('link', { name: claim }).press('Enter');
  await page.getByLabel('Why?').fill('Still right.');
  await button('Approve').click();
  await said('Done. It is now APPROVED');
  await button('Apply it').click();
  await said('Done. It is now IMPLEMENTED');
  expect(await page.locator('main img, main b').count()).toBe(0);

  await look({ person: 'eve' }, 0);
  await page.goto(`${governed.url}/#tickets/${id}`);
  await page.getByRole('alert').getByText(`There is no ticket ${id}.`).waitFor();
  expect(complaints.splice(0).every((each) => each.includes('404'))).toBe(true);
});

it('asks for a key where one is wanted, and keeps it for the session alone', async () => {
  const keys = path.join(folder, 'keys.json');
  const key = await keyWith(keys, ['decide', 'retrieve']);
  const closed = await serve({ keys });
  await visit({}, closed);
  await page.getByLabel('API key').fill(key);
  expect(await barriers()).toEqual([]);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await ask(FACT);
  expect(await turns().first().locator('.text').innerText()).toBe(SAID);
  expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
  // Of the refusal that asked for the key.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
});

it('is sent with a policy that lets nothing else in, and is small', async () => {
  await visit();
  const whole = await fetch(server.url);
  expect(whole.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  const sizes = await Promise.all(
    ['/', '/page/page.js', '/page/page.css'].map(async (url) => {
      const response = await fetch(`${server.url}${url}`);
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      return (await response.arrayBuffer()).byteLength;
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(300_000);
  await question().waitFor();
});
