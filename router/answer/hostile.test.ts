/** Documents and questions made to be too much: the answer is bounded, says what was cut, and is never half shown as whole. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexDocuments } from '../../corpus/index.ts';
import { COUNTED_UNITS } from '../../profiles/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { Decision } from '../contracts.ts';
import { openRouter } from '../open-router.ts';
import type { Router } from '../types.ts';
import { wordsIn } from './units.ts';

const many = (count: number, one: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join('');
const THINGS = ['valve', 'hatch', 'gauge', 'crate', 'filter', 'bolt', 'lamp', 'pump', 'cable', 'lid'];
const thing = (i: number) => THINGS[i % 10]!;
const metal = (i: number) => ['steel', 'brass', 'nylon', 'oak'][i % 4]!;

const PAGES: Record<string, string> = {
  'commissioning.md': `# Commissioning\n\nTo commission the plant, do the following in order:\n\n${many(500, (i) => `${i + 1}. Check the ${thing(i)} in bay ${i + 1}.\n`)}\nAfter that the plant is ready.\n`,
  'terms.html': `<title>Terms</title><dl><dt>brine governor</dt><dd>A device that keeps the flow of brine steady. ${many(400, (i) => `In case ${i} the flow through the outer ring is held by vanes that lock when the pressure falls below ${i} bar. `)}</dd></dl>`,
  'codes.html': `<title>Codes</title><dl>${many(10_000, (i) => `<dt>fault-${i}</dt><dd>Raised when the ${thing(i)} of unit ${i} jams.</dd>`)}</dl>`,
  'parts.html': `<title>Spare parts</title><table><tr><th>Part<th>Material<th>Price</tr>${many(2_000, (i) => `<tr><td>${thing(i)} ${i}<td>${metal(i)}<td>${i + 7} crowns</tr>`)}</table>`,
  'birds.html': `<title>Birds</title><p>These birds were seen on the island:</p><ul>${many(3_000, (i) => `<li>Grey gull number ${i}</li>`)}</ul>`,
  'plain.html':
    '<title>Ferry</title>The ferry leaves at nine.<br><br>Dogs must be on a lead because the deck is slippery.',
  'broken.html':
    '<title>Orchard</title><h1>Orchard<h2>Pruning</h1><ul><li><p>Cut the dead branches<li>Burn <b>them <i>all</b></i><ol><li>Wait</ul></p>' +
    '<table><tr><td>Pear trees<td>are pruned in March<tr></ul><td><div>Apples</td></div>are late</table></ol><h2>Water<p>Young trees drink twenty litres a day</h2>',
  'layout.html':
    '<title>Museum</title><table><tr><td colspan=2><font size=5>Museum of clocks</font><tr><td><a href=a>Home</a><br><a href=b>Shop</a><td>' +
    '<table><tr><td><b>Visits</b><p>The museum of clocks opens at ten. To book a tour of the museum, do this:</p><ol><li>Choose a day.<li>Pay at the desk.<li>Wait for the guide.</ol>' +
    '<tr><td><b>Tickets</b><p>A ticket for the museum costs four crowns.</p></table></table>',
  ...Object.fromEntries(
    Array.from({ length: 80 }, (_, i) => [
      `tool-${i}.html`,
      `<title>tool-${i}</title><dl><dt>--verbose</dt><dd>Prints the ${thing(i)}s of kind ${i}.</dd>${i < 3 ? `<dt>--depth</dt><dd>Digs ${i + 2} metres into the ${thing(i)}.</dd>` : ''}</dl>`,
    ]),
  ),
};

let folder: string;
let scorers: Scorers;
let router: Router;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-hostile-'));
  const paths = Object.keys(PAGES).map((name) => join(folder, name));
  for (const [name, text] of Object.entries(PAGES)) await writeFile(join(folder, name), text);
  scorers = await openScorers({ threads: 1 });
  const index = join(folder, 'index');
  // Words are enough here, and vectors of so many passages take minutes.
  const report = await indexDocuments(paths, { out: index, scorers, wait: false });
  expect(report.failed).toEqual([]);
  router = await openRouter({ index, scorers, cautious: 0.1 });
});
afterAll(async () => {
  await router?.close();
  await scorers?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The decision, checked for what holds whatever is asked: quotes are exact, what is spent and shown is bounded. */
async function ask(query: string): Promise<Decision> {
  const decision = Decision.parse(await router.route({ id: 'q', query }));
  for (const { text, passageId, start, end } of decision.answer?.quotes ?? []) {
    const passage = decision.evidence.find((each) => each.passageId === passageId)!;
    expect(passage.text.slice(start - passage.start, end - passage.start)).toBe(text);
  }
  for (const unit of COUNTED_UNITS) {
    expect(decision.receipt.spent[unit]).toBeLessThanOrEqual(decision.receipt.budget[unit]);
  }
  expect(wordsIn(decision.answer?.text ?? '')).toBeLessThanOrEqual(260);
  return decision;
}
const shown = async (query: string) => (await ask(query)).answer;

it('of 500 steps shows the first, says where it stops, and finds one by its number or its words', async () => {
  const all = await shown('How do I commission the plant?');
  expect(all?.text).toMatch(
    /^To commission the plant, do the following in order:\n1\. Check the valve in bay 1\.\n2\. /,
  );
  expect(all?.cut).toMatch(/^What follows item \d+ is not shown; the list goes on in "Commissioning"\.$/);
  const one = await shown('What is step 250 of commissioning the plant?');
  expect(one?.text.split('\n').at(-1)).toBe('250. Check the lid in bay 250.');
  const late = await shown('How do I check the pump in bay 338?');
  expect(late?.text).toContain('338. Check the pump in bay 338.');
  expect(late?.cut).toContain('The list begins before what is shown');
});

it('cuts a definition of 40 kB and says so, and finds one entry of 10,000', async () => {
  const governor = await shown('What is a brine governor?');
  expect(governor).toMatchObject({
    form: 'definition',
    cut: expect.stringContaining('The entry goes on in'),
  });
  expect(governor?.text).toMatch(/^brine governor: A device that keeps the flow of brine steady\./);
  expect((await shown('What is fault-7777?'))?.text).toBe(
    'fault-7777: Raised when the pump of unit 7777 jams.',
  );
});

it('of a table of 2,000 rows shows those that answer, and of 3,000 items some and that there are more', async () => {
  // Silent, or the very row: of 2,000 rows the fused score of each is low.
  const row = (await shown('How much does valve 1990 cost?'))?.text;
  expect([undefined, 'valve 1990 | nylon | 1997 crowns']).toContain(row);
  const birds = await shown('Which birds were seen on the island?');
  expect(birds?.text).toMatch(/^These birds were seen on the island:\n- Grey gull number 0\n- /);
  expect(birds?.cut).toMatch(/^What follows item \d+ is not shown/);
});

it('never gives one of 80 meanings for the only one: few are listed, of many it is asked which', async () => {
  const { action, clarification } = await ask('What does --verbose do?');
  expect(action).toBe('ASK');
  expect(clarification?.message).toContain('in 80 places');
  expect((await shown(clarification!.question!.options[0]!.query))?.text).toMatch(/^--verbose: Prints the /);
  expect((await shown('What does --verbose do in tool-17?'))?.text).toBe(
    '--verbose: Prints the pumps of kind 17.',
  );
  const few = await shown('What does --depth do?');
  expect(few?.form).toBe('list');
  expect(few?.text.split('\n').sort()).toEqual([
    'tool-0: --depth: Digs 2 metres into the valve.',
    'tool-1: --depth: Digs 3 metres into the hatch.',
    'tool-2: --depth: Digs 4 metres into the gauge.',
  ]);
});

it.each([
  ['without headings', 'Why must dogs be on a lead?', 'because the deck is slippery'],
  ['with broken nesting', 'When are pear trees pruned?', 'March'],
  [
    'in layout tables',
    'How do I book a tour of the museum?',
    'do this:\n1. Choose a day.\n2. Pay at the desk.\n3. Wait for the guide.',
  ],
])('reads a page %s', async (_, query, answer) => {
  expect((await shown(query))?.text).toContain(answer);
});

it('holds a claim of a paragraph against no single quote', async () => {
  const claim = `The museum of clocks opens at ten, and a ticket costs four crowns. ${'The guide of the museum waits at the desk for a tour of the clocks. '.repeat(8)}`;
  const { answer, abstention } = await ask(claim);
  expect(answer?.verdict ?? null).toBeNull();
  expect(answer?.cut ?? abstention?.message).toMatch(/too much at once|nearest passages/);
});

it('answers no question of ten that it did not look at, nor any that refer to each other in a circle', async () => {
  const ten = await ask(many(10, (i) => `What is fault-${i + 1}? `));
  expect(ten.parts.at(-1)?.abstention?.reason).toBe('TOO_MANY_QUESTIONS');
  expect(ten.action).not.toBe('ANSWER');
  const circle = await ask(
    'Is the answer to the second question yes? Is the answer to the first question no?',
  );
  expect(circle.action).not.toBe('ANSWER');
});
