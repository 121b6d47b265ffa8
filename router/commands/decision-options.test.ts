import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import yargs, { type Argv } from 'yargs';
import { type KnownOptions, settingsFor } from '../../cli/configuration.ts';
import { LayerSettings } from '../layers/settings.ts';
import {
  type DecisionArguments,
  decisionOptions,
  decisionOptionsFrom,
  defaultsOptions,
} from './decision-options.ts';
import { routerOptions } from './options.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const withDecisions = (parser: Argv) => defaultsOptions(decisionOptions(parser)) as Argv;

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** What a command gets, with a configuration file and an environment of its own. */
function parsed(args: string[], config: object = {}, env: NodeJS.ProcessEnv = {}, options = withDecisions) {
  const parser = options(yargs(args).positional('question', { type: 'string', array: true }));
  const known = (parser as unknown as { getOptions(): KnownOptions }).getOptions();
  const named = ['--config', file('config.json', JSON.stringify(config))];
  return parser
    .config(settingsFor(known, () => true, named, env))
    .strictOptions()
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Error(message);
    })
    .parseSync() as DecisionArguments & { _: string[] };
}

const options = (...args: Parameters<typeof parsed>) => decisionOptionsFrom(parsed(...args));

describe('options of a decision', () => {
  it('are none unless given', () => {
    expect(options([])).toEqual({});
  });

  it('come from the command line', () => {
    const layers = file('layers.json', '\ufeff{"distance": {"on": false}}');
    const args = ['--vocabulary', 'a.ttl', 'What is it?', '--vocabulary', 'b.csv', '--layers', layers];
    const { _, ...rest } = parsed([...args, '--defaults', 'd.db', '--tenant', 'acme']);
    expect(_).toEqual(['What is it?']);
    expect(decisionOptionsFrom(rest)).toEqual({
      vocabulary: { files: ['a.ttl', 'b.csv'] },
      layers: { distance: { on: false } },
      defaults: { store: 'd.db', tenant: 'acme' },
    });
    expect(
      options([
        '--decider',
        'planner',
        '--planner',
        'p.json',
        '--utilities',
        'silence=0.5, wrong=3,question=1',
      ]),
    ).toEqual({
      decider: 'planner',
      planner: 'p.json',
      utilities: { wrong: 3, question: 1, silence: 0.5 },
    });
  });

  it('come from the configuration file and the environment, which wins', () => {
    const config = { vocabulary: ['a.ttl', 'b.csv'], decider: 'hard-gate', defaults: 'd.db', tenant: 'one' };
    const env = { PRAGAURA_TENANT: 'two' };
    expect(options([], config, env)).toEqual({
      vocabulary: { files: ['a.ttl', 'b.csv'] },
      decider: 'hard-gate',
      defaults: { store: 'd.db', tenant: 'two' },
    });
    expect(options([], {}, { PRAGAURA_VOCABULARY: 'a.ttl', PRAGAURA_DEFAULTS: 'd.db' })).toEqual({
      vocabulary: { files: ['a.ttl'] },
      defaults: { store: 'd.db', tenant: 'default' },
    });
  });

  it('carry the languages and the limits of a vocabulary', () => {
    const given = ['--vocabulary-language', 'de', 'What is it?', '--vocabulary-language', 'en'];
    const limits = ['--vocabulary-max-concepts', '7', '--vocabulary-max-bytes', '1000'];
    const vocabulary = { files: ['a.ttl'], languages: ['de', 'en'], maxConcepts: 7, maxBytes: 1000 };
    const { _, ...rest } = parsed(['--vocabulary', 'a.ttl', ...given, ...limits]);
    expect(_).toEqual(['What is it?']);
    expect(decisionOptionsFrom(rest)).toEqual({ vocabulary });
    const config = { vocabulary: 'a.ttl', vocabularyLanguage: ['de', 'en'], vocabularyMaxConcepts: 7 };
    expect(options([], config, { PRAGAURA_VOCABULARY_MAX_BYTES: '1000' })).toEqual({ vocabulary });
  });

  it('tell the defaults of a vocabulary', async () => {
    const help = await decisionOptions(yargs([])).wrap(null).getHelp();
    for (const line of [
      /--vocabulary-language .*\[default: en\]/,
      /--vocabulary-max-concepts .*\[default: 500000\]/,
      /--vocabulary-max-bytes .*\[default: 268435456\]/,
    ])
      expect(help).toMatch(line);
  });

  it.each([
    [['--vocabulary', 'a.ttl', '--vocabulary-max-concepts', '0'], '--vocabulary-max-concepts takes'],
    [['--vocabulary', 'a.ttl', '--vocabulary-max-bytes', '1.5'], '--vocabulary-max-bytes takes'],
    [['--vocabulary-language', 'de'], 'No vocabulary is named'],
    [['--vocabulary-max-bytes', '9'], 'No vocabulary is named'],
  ])('refuse limits that are none, or are for no vocabulary: %s', (args, said) => {
    expect(() => options(args)).toThrow(said);
  });

  it('carry how cautious the rule is, from wherever it is said', () => {
    expect(options(['--cautious', '0.7'])).toEqual({ cautious: 0.7 });
    expect(options([], { cautious: 0 })).toEqual({ cautious: 0 });
    expect(options([], { cautious: 0 }, { PRAGAURA_CAUTIOUS: '1' })).toEqual({ cautious: 1 });
    for (const value of ['1.1', '-0.1', 'very', ' ']) {
      expect(() => options([`--cautious=${value}`])).toThrow('--cautious takes a number from 0 to 1');
    }
  });

  it.each([
    ['wrong=1', 'does not say "question"'],
    ['wrong=1,wrong=2', 'says "wrong" twice'],
    ['wrong=-1,question=1,silence=1', 'wrong is no number of at least 0'],
    ['wrong=,question=1,silence=1', 'wrong is no number of at least 0'],
    ['wrong=1=2,question=1,silence=1', 'wrong is no number of at least 0'],
    ['constructor=1', 'knows no "constructor"'],
    ['', 'knows no ""'],
  ])('refuse costs that are none: %s', (costs, said) => {
    const run = () => options(['--decider', 'planner', '--utilities', costs]);
    expect(run).toThrow(expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(said) }));
    expect(run).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('wrong=2,question=1,silence=1') }),
    );
  });

  it('give the planner a prior, or the file that it is estimated from', () => {
    const planner = ['--decider', 'planner', '--prior'];
    expect(options([...planner, 'answer=.7,ask=.1,abstain=.2'])).toMatchObject({
      prior: { ANSWER: 0.7, ASK: 0.1, ABSTAIN: 0.2 },
    });
    expect(options([...planner, 'decisions.ndjson'])).toMatchObject({
      prior: { decisions: 'decisions.ndjson' },
    });
    for (const [wrong, said] of [
      ['answer=.7,ask=.1,abstain=.3', 'sum to 1.1'],
      ['answer=.7,ask=.3', 'not all'],
      ['answer=2,ask=0,abstain=0', 'from 0 to 1'],
    ] as const)
      expect(() => options([...planner, wrong])).toThrow(
        expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(said) }),
      );
    expect(() => options(['--prior', 'decisions.ndjson'])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('--decider planner') }),
    );
  });

  it("give the paper's gate the thresholds that are said, where it decides", () => {
    const gate = ['--decider', 'hard-gate', '--hard-gate'];
    expect(options([...gate, 'conflict=.8, ambiguity=0'])).toMatchObject({
      hardGate: { conflict: 0.8, ambiguity: 0 },
    });
    for (const wrong of ['conflict=2', 'conflict=-1', 'relevance=.5', 'conflict=.1,conflict=.2', 'conflict'])
      expect(() => options([...gate, wrong])).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => options(['--hard-gate', 'conflict=.8'])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('--decider hard-gate') }),
    );
  });

  it('demand sources beside what the file of layers says', () => {
    expect(LayerSettings.parse(options(['--min-sources', '20']).layers).support.sources).toBe(20);
    expect(LayerSettings.safeParse({ support: { sources: 21 } }).success).toBe(false);
    expect(options(['--min-sources', '2'])).toEqual({ layers: { support: { on: true, sources: 2 } } });
    const layers = file('sources.json', '{"support": {"on": false}, "scope": {"on": false}}');
    expect(options(['--layers', layers, '--min-sources', '3'])).toEqual({
      layers: { scope: { on: false }, support: { on: true, sources: 3 } },
    });
    for (const wrong of ['0', '21', '1.5', 'two']) {
      expect(() => options(['--min-sources', wrong])).toThrow(
        '--min-sources takes one whole number from 1 to 20',
      );
    }
  });

  it('say what mends what is wrong with them', () => {
    const utilities = ['--utilities', 'wrong=2,question=1,silence=1'];
    expect(() => options(utilities)).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('--decider planner') }),
    );
    expect(() => options(['--tenant', ' '])).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => options(['--first-default', '3'])).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('--defaults FILE') }),
    );
    expect(() => options(['--first-default', '0', '--defaults', 'd.db'])).toThrow(
      'whole number from 1 to 100',
    );
    expect(options(['--first-default', '3', '--defaults', 'd.db'])).toEqual({
      defaults: { store: 'd.db', tenant: 'default', settings: { firstDefault: 3 } },
    });
    expect(() => options(['--layers', join(folder, 'none.json')])).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', hint: expect.stringContaining('--layers') }),
    );
    expect(() => options(['--layers', file('bad.json', '{"distance": ')])).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', hint: expect.stringContaining('"distance"') }),
    );
    expect(() => options(['--decider', 'guess'])).toThrow('Invalid values');
  });
});

describe('a budget', () => {
  it.each<[string, string[], object, NodeJS.ProcessEnv]>([
    ['--budget.rerankPairs', ['--budget.rerankPairs', '2'], {}, {}],
    ['--budget.rerank-pairs', ['--budget.rerank-pairs', '2'], {}, {}],
    ['--budget.rerank-pairs=', ['--budget.rerank-pairs=2'], {}, {}],
    ['a nested setting', [], { budget: { rerankPairs: 2 } }, {}],
    ['a dotted setting', [], { 'budget.rerankPairs': 2 }, {}],
    ['the environment', [], {}, { PRAGAURA_BUDGET__RERANK_PAIRS: '2' }],
    [
      'the environment over a setting',
      [],
      { budget: { rerankPairs: 9 } },
      { PRAGAURA_BUDGET__RERANK_PAIRS: '2' },
    ],
  ])('is taken from %s, and others beside it', (_, args, config, env) => {
    const withRouter = (parser: Argv) => routerOptions(parser) as Argv;
    const given = ['--index', 'x', '--budget.nliPairs', '1', ...args];
    expect(parsed(given, config, env, withRouter)).toMatchObject({
      budget: { rerankPairs: 2, nliPairs: 1 },
    });
  });
});
