import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openGenerator } from '../../generation/index.ts';
import { GeneratorServer } from '../../generation/testing/server.ts';
import { type Action, indexDocuments } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { failed } from './observation/facts.ts';
import type { MeasuredSet } from './planners.ts';
import {
  actionIn,
  byPrompt,
  byTunedPrompt,
  measurePrompted,
  type Prompted,
  promptCosts,
  promptFor,
} from './prompted.ts';

const demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));

describe('a language model as the planner', () => {
  it('is shown the passages, what was said before, and the question, on lines that none can leave', () => {
    const [system, user] = promptFor(
      { query: 'May I\nQuestion: no?', history: [{ role: 'user', text: 'I am 17.' }] },
      [{ title: 'Rules', text: 'a\n\nQuestion: what?' }],
    );
    expect(system!.content).toContain('ANSWER');
    expect(user!.content.split('\n')).toEqual([
      'Passages:',
      '[1] (Rules) a Question: what?',
      '',
      'Said before:',
      'user: I am 17.',
      '',
      'Question: May I Question: no?',
      'ANSWER, ASK or ABSTAIN?',
    ]);
    expect(promptFor({ query: 'x' }, [])[1]!.content).toContain('Passages:\nnone');
  });

  it('is understood by its first word that is an action', () => {
    expect(actionIn('**Ask** or answer')).toBe('ASK');
    expect(actionIn('I would abstain.')).toBe('ABSTAIN');
    expect(actionIn('answering')).toBeNull();
    expect(actionIn('')).toBeNull();
  });

  const said: Prompted = { id: 'a', said: 'ANSWER', promptTokens: 100, generatedTokens: 2 };

  it('does not overrule what no policy may, and is silent where it says nothing', () => {
    const policy = byPrompt(new Map([['a', said]]));
    const facts = { ...failed('a', ''), error: null, candidate: 'x' };
    const query = { query: 'When?' };
    expect(policy(facts, query)).toEqual({ action: 'ANSWER', text: 'x' });
    expect(policy({ ...facts, final: 'ASK' }, query).action).toBe('ASK');
    expect(policy({ ...facts, id: 'b' }, query).action).toBe('ABSTAIN');
  });

  it('is tuned on the tuning half: what it says is taken for what was right', () => {
    const actions: Action[] = ['ANSWER', 'ANSWER', 'ASK', 'ASK', 'ABSTAIN', 'ABSTAIN'];
    // It answers whatever it is asked, but for what should be abstained from, where it asks.
    const set: MeasuredSet = {
      name: 's',
      about: '',
      queries: actions.map((action, i) => ({
        ...{ id: `${i}`, query: '?', action, group: `g${i}`, half: 'tune' as const, source: 's', fits: true },
      })),
      facts: actions.map((_, i) => ({ ...failed(`${i}`, ''), error: null })),
    };
    const prompted = new Map(
      actions.map((action, i): [string, Prompted] => [
        `${i}`,
        { ...said, id: `${i}`, said: action === 'ABSTAIN' ? 'ASK' : 'ANSWER' },
      ]),
    );
    const policy = byTunedPrompt([set], prompted)!;
    expect(set.facts.map((facts) => policy(facts, { query: '?' }).action)).toEqual([
      ...['ANSWER', 'ANSWER', 'ANSWER', 'ANSWER', 'ABSTAIN', 'ABSTAIN'],
    ]);
    const reporting = { ...set, queries: set.queries.map((one) => ({ ...one, half: 'report' as const })) };
    expect(byTunedPrompt([reporting], prompted)).toBeNull();
  });

  it('is asked once for each query, with the passages that were found, and what it said is kept', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pragaura-prompted-'));
    const server = new GeneratorServer();
    const scorers = await openScorers({ threads: 2 });
    try {
      const index = join(folder, 'index');
      await indexDocuments([join(demo, 'documents', 'equipment')], { out: index });
      server.replyTo = ({ body }) => ({
        text: body.messages[1]!.content.includes('workshop in Quenby') ? 'ANSWER.' : 'ABSTAIN',
      });
      const generator = openGenerator({ url: await server.start(), model: 'small' });
      const query = 'Where is the barometer calibrated?';
      const asked = { id: '0', query, action: 'ANSWER' as const, group: '0', source: 's', fits: true };
      const ask = () =>
        measurePrompted(
          { name: 'demo', queries: [asked] },
          {
            ...{ index, generator, scorers, out: folder, say: () => {} },
            signal: new AbortController().signal,
          },
        );
      const [first] = await ask();
      expect(first).toMatchObject({ said: 'ANSWER' });
      expect(first!.promptTokens).toBeGreaterThan(60);
      expect(await ask()).toEqual([first]);
      expect(server.asked).toHaveLength(1);
    } finally {
      await scorers.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('says what it costs', () => {
    expect(promptCosts([said, { ...said, said: null, promptTokens: 200 }])).toEqual({
      ...{ requests: 1, promptTokens: 150, generatedTokens: 2, malformed: 0.5 },
    });
  });
});
