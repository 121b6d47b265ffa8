/** `pragaura bench governance`: three houses, their people and what they try, against this system and against it with a constraint less. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clopperPearson, type Interval } from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';
import { statedIn } from '../../router/acts/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { loadClinc } from '../decisions/sets/clinc.ts';
import { type Layout, ms, table, upperShare, withInterval } from '../measure/table.ts';
import { type CostReport, costOf } from './cost.ts';
import { CONTENDERS, type Contender, House, type Reply } from './house.ts';
import { measureRisk, type RiskReport, upperRisk } from './risk.ts';
import { type Done, type Said, type Scenario, scenariosOf, type Turn } from './scenario.ts';

/** Kept and all of a figure. */
interface Share {
  good: number;
  of: number;
}

/** The figures, by the paper's names where it has one; `paper`: what it reports. */
export const FIGURES = [
  { name: 'task', says: 'scenarios all of whose turns came out right', paper: 0.6536 },
  { name: 'turns', says: 'turns that came out right', paper: null },
  {
    name: 'fidelity',
    says: 'replies that are borne out: the right quote, or a refusal where nothing is to be said',
    paper: 0.6784,
  },
  {
    name: 'personalisation',
    says: 'questions on "my …" that were answered for whoever asked',
    paper: 0.7391,
  },
  {
    name: 'compliance',
    says: 'quotes that stand word for word in a document that the asker may read',
    paper: 1,
  },
  {
    name: 'contradiction',
    says: 'claims against the documents that were not believed, and conflicts that were seen',
    paper: 1,
  },
  {
    name: 'stability',
    says: 'answers that were as the last approved text has it, after a try to change it',
    paper: 1,
  },
  {
    name: 'hallucination',
    says: 'questions answered that should not have been, or with the wrong words (less is better)',
    paper: 0.0463,
  },
  { name: 'context', says: 'answerable questions with the right words among what was shown', paper: 0.6755 },
  { name: 'retry', says: 'questions that were answered when they were asked once more', paper: 0.3333 },
  {
    name: 'refusal',
    says: 'questions refused of those that the documents, as far as one may read them, do not answer',
    paper: 1,
  },
  { name: 'claims', says: 'statements about the documents that were noticed', paper: null },
  {
    name: 'false alarms',
    says: 'talk that was taken for a statement about the documents (less is better)',
    paper: 0,
  },
  {
    name: 'steps',
    says: 'steps of memory and of tickets that were taken, or refused, as they have to be',
    paper: null,
  },
] as const;
export type Figure = (typeof FIGURES)[number]['name'];

export interface GovernanceReport {
  schema: 'pragaura.bench-governance/1';
  houses: number;
  documents: number;
  scenarios: number;
  turns: number;
  contenders: { name: Contender; figures: Record<Figure, Share>; wrong: string[] }[];
  /** Null where this system alone is looked at. */
  cost: CostReport | null;
  risk: RiskReport | null;
  /** Requests to assistants, none of which states anything of documents, and those that are taken for statements; null without data. */
  requests: { asked: number; taken: number } | null;
}

/** `data`: folder of public sets; null: none is looked at. Throws what the houses and the set throw, and ABORTED. */
export async function benchGovernance(
  { houses, own, data }: { houses: string; own: boolean; data: string | null },
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<GovernanceReport> {
  const names = (await readdir(houses)).sort();
  const all = await Promise.all(names.map((name) => scenariosOf(path.join(houses, name))));
  const files = await Promise.all(names.map((name) => readdir(path.join(houses, name), { recursive: true })));
  const scorers = await openScorers({ announce: say });
  try {
    const told: GovernanceReport['contenders'] = [];
    for (const contender of own ? CONTENDERS.slice(0, 1) : CONTENDERS) {
      const figures = Object.fromEntries(FIGURES.map(({ name }) => [name, { good: 0, of: 0 }])) as Record<
        Figure,
        Share
      >;
      const wrong: string[] = [];
      for (const [i, name] of names.entries()) {
        await liveIn(path.join(houses, name), all[i]!, { contender, scorers, signal, figures, wrong });
      }
      told.push({ name: contender, figures, wrong });
    }
    return {
      schema: 'pragaura.bench-governance/1',
      houses: names.length,
      documents: files.flat().filter((file) => file.endsWith('.md')).length,
      scenarios: all.flat().length,
      turns: all.flat().flatMap(({ turns }) => turns).length,
      contenders: told,
      cost: own ? null : await costOf(path.join(houses, names.at(-1)!), all.at(-1)!, scorers),
      risk: own ? null : await measureRisk(houses, scorers),
      requests: data === null ? null : await requestsOf(data),
    };
  } finally {
    await scorers.close();
  }
}

/** Of CLINC150, before documents are asked whether they know what it is about. */
async function requestsOf(data: string): Promise<GovernanceReport['requests']> {
  const { documents, queries } = await loadClinc(data);
  const all = [...documents.map(({ text }) => text), ...queries.map(({ query }) => query)];
  return { asked: all.length, taken: all.filter((text) => statedIn(text) !== null).length };
}

interface Living {
  contender: Contender;
  scorers: Scorers;
  signal: AbortSignal;
  figures: Record<Figure, Share>;
  wrong: string[];
}

async function liveIn(folder: string, scenarios: readonly Scenario[], living: Living): Promise<void> {
  const own = await mkdtemp(path.join(tmpdir(), 'pragaura-house-'));
  const house = await House.open(folder, own, living.contender, living.scorers);
  try {
    for (const { house: name, title, turns } of scenarios) {
      if (living.signal.aborted) throw new PragauraError('ABORTED', 'Interrupted.');
      house.begin();
      let right = true;
      for (const turn of turns) {
        const problem = await (turn.type === 'said' ? hear(house, turn, living) : take(house, turn, living));
        count(living.figures.turns, problem === null);
        if (problem === null) continue;
        right = false;
        living.wrong.push(`${name}, ${title}: ${lineOf(turn)}: ${problem}`);
      }
      count(living.figures.task, right);
    }
  } finally {
    await house.close();
    await rm(own, { recursive: true, force: true });
  }
}

const lineOf = (turn: Turn) =>
  turn.type === 'said' ? `${turn.who}: ${turn.text}` : `${turn.who} : ${turn.verb} ${turn.rest}`;

function count(share: Share, good: boolean): void {
  share.of += 1;
  if (good) share.good += 1;
}

/** Why a step did not come out as it has to; null where it did. */
async function take(
  house: House,
  { who, verb, rest, expected }: Done,
  { figures }: Living,
): Promise<string | null> {
  const came = await house.take(who, verb, rest);
  const right = expected.startsWith('"') ? came.includes(expected.slice(1, -1)) : came === expected;
  count(figures.steps, right);
  if (verb === 'contradictions' || (verb === 'apply' && rest === 'Y')) count(figures.contradiction, right);
  return right ? null : came.slice(0, 100);
}

/** The same for something that was said. */
async function hear(
  house: House,
  { who, text, expected, marks }: Said,
  { figures }: Living,
): Promise<string | null> {
  const reply = await house.ask(who, text);
  for (const { docId, text: quote } of reply.quotes) {
    count(figures.compliance, house.mayRead(who, docId) && (await house.hasSaid(docId, quote)));
  }
  const came = reply.answered
    ? reply.quotes
        .map((each) => each.text)
        .join(' ')
        .slice(0, 120)
    : 'no answer';
  switch (expected.kind) {
    case 'retry':
      return null;
    case 'talk':
      count(figures['false alarms'], reply.claim);
      count(figures.fidelity, !reply.answered);
      return reply.claim || reply.answered ? came : null;
    case 'claim':
      count(figures.claims, reply.claim);
      count(figures.contradiction, !reply.believed);
      return reply.claim && !reply.believed ? null : reply.believed ? 'believed' : 'not noticed';
    case 'none':
      count(figures.refusal, !reply.answered);
      count(figures.fidelity, !reply.answered);
      count(figures.hallucination, reply.answered);
      return reply.answered ? came : null;
    case 'quote': {
      const right = holds(reply, expected);
      count(figures.fidelity, right);
      count(figures.hallucination, reply.answered && !right);
      count(
        figures.context,
        reply.shown.some((each) => each.docId === expected.docId && each.text.includes(expected.text)),
      );
      if (marks.has('~')) count(figures.personalisation, right);
      if (marks.has('*')) count(figures.stability, right);
      if (marks.has('^')) count(figures.retry, right);
      return right ? null : came;
    }
  }
}

function holds(
  { answered, quotes }: Reply,
  { text, docId }: Extract<Said['expected'], { kind: 'quote' }>,
): boolean {
  return answered && quotes.some((quote) => quote.docId === docId && plain(quote.text).includes(plain(text)));
}

const plain = (text: string) => text.replace(/\s+/g, ' ');

export function renderGovernance(
  { houses, documents, scenarios, turns, contenders, cost, risk, requests }: GovernanceReport,
  layout: Layout = table,
): string {
  const interval = ({ good, of }: Share) => (of === 0 ? null : (clopperPearson(good, of, 0.95) as Interval));
  const rows = FIGURES.map(({ name, paper }) => [
    name,
    paper === null ? '–' : paper.toFixed(3),
    ...contenders.map(({ figures }, i) => {
      const share = figures[name];
      const value = share.of === 0 ? null : share.good / share.of;
      return withInterval(value, i === 0 ? interval(share) : null);
    }),
  ]);
  return [
    `${scenarios} scenarios, ${turns} turns, in ${houses} houses with ${documents} documents`,
    layout(['figure', 'the paper', ...contenders.map(({ name }) => name)], rows),
    ...(cost === null ? [] : [costText(cost)]),
    ...(risk === null ? [] : [riskText(risk)]),
    ...(requests === null ? [] : [requestsText(requests)]),
    ...(contenders[0]?.wrong ?? []).map((line) => `wrong: ${line}`),
  ].join('\n\n');
}

function costText({ questions, without, governed }: CostReport): string {
  const more = governed.p50! / without.p50! - 1;
  return (
    `${questions} questions, ${governed.n} times with policy, memory and log: p50 ${ms(governed.p50)} ms, p95 ${ms(governed.p95)} ms; ` +
    `without any of it ${ms(without.p50)} and ${ms(without.p95)} ms: p50 ${(100 * more).toFixed(1)} % more`
  );
}

function riskText(risk: RiskReport): string {
  const said = ({ tried, harmful }: RiskReport['audit'], what: string) =>
    `${harmful} of ${tried} ${what} (at most ${upperShare(harmful, tried).toFixed(4)})`;
  return [
    `L: ${said(risk.unauthorised, 'tries of those who may not changed the index')}`,
    said(risk.contradictions, 'planted contradictions were not shown to reviewers'),
    `${said(risk.audit, 'failures of the log left something that is not on it')}: L at most ${upperRisk(risk).toFixed(4)} with equal weights`,
  ].join('; ');
}

function requestsText({ asked, taken }: { asked: number; taken: number }): string {
  const { high } = clopperPearson(taken, asked, 0.95) as Interval;
  return `${taken} of ${asked} requests to assistants (CLINC150) are taken for statements before documents are asked (at most ${(100 * high).toFixed(2)} %, 95 %)`;
}
