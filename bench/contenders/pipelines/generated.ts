/** Ways of answering that ask a language model; each pays for its own requests and word pieces. */
import { supportOf } from '../../../calibration/index.ts';
import { PragauraError } from '../../../common/index.ts';
import { type Generator, type Message, sampleAnswers, shortPromptOf } from '../../../generation/index.ts';
import { type Scorers, toStatement } from '../../../scorers/index.ts';
import { spentOf } from '../../parity/certificate.ts';
import { added, type Source, spending } from './reading.ts';
import type { Asked, Attempt, Tools } from './types.ts';

/** Passages that a language model is shown, and word pieces of an answer. */
const SHOWN = 3;
const ANSWER_TOKENS = 24;

/** Answers drawn of one question, and drafts written of it. */
const DRAWN = 5;
const DRAFTS = 3;

/**
 * Several answers to one prompt, grouped by meaning: given is the first of the largest group. `self-consistency`: the share of
 * answers outside that group (Wang et al. 2023). `semantic entropy`: Farquhar et al. 2024. One drawing serves both.
 */
export async function sampled(asked: Asked, tools: Tools): Promise<Attempt> {
  const { query } = asked;
  const { scorers } = tools;
  const generator = generatorOf(tools);
  const { sources, docs, spent } = await retrieved(asked, tools);
  const shown = sources.slice(0, SHOWN);
  const messages = shortPromptOf(query, shown);
  const { answers, meanings, agreement, semanticEntropy, nliPairs } = await sampleAnswers(messages, {
    generator,
    scorers,
    question: query,
    count: DRAWN,
    maxTokens: ANSWER_TOKENS,
  });
  const text = answers[meanings.indexOf(commonest(meanings))] ?? null;
  return {
    text,
    uncertainty: {
      'self-consistency': agreement === null ? null : 1 - agreement,
      'semantic entropy': semanticEntropy,
    },
    support: supportIn(query, text, shown),
    docs,
    spent: added(
      spent,
      spending({
        requests: DRAWN,
        promptTokens: DRAWN * promptTokens(messages, scorers),
        generatedTokens: answers.reduce((sum, answer) => sum + scorers.countTokens(answer), 0),
        samplePairs: nliPairs,
      }),
    ),
  };
}

/**
 * Speculative drafting (Wang et al. 2025) with one model: passages are dealt out, as many as a sampled answer is shown, each
 * hand is given to the model for one draft, and what verifies the drafts is our entailment of each as a statement by the
 * passages of its hand, in the place of a larger model's probability.
 */
export async function drafted(asked: Asked, tools: Tools): Promise<Attempt> {
  const { query } = asked;
  const { scorers } = tools;
  const generator = generatorOf(tools);
  const { sources, docs, spent } = await retrieved(asked, tools);
  const hands = Array.from({ length: DRAFTS }, (_, hand) =>
    sources.slice(0, DRAFTS * SHOWN).filter((_, place) => place % DRAFTS === hand),
  ).filter((hand) => hand.length > 0);
  let cost = spent;
  const drafts: { text: string; hand: readonly Source[]; entailment: number }[] = [];
  for (const hand of hands) {
    const messages = shortPromptOf(query, hand);
    const text = await answered(messages, generator, scorers);
    const claim = toStatement(query, text);
    const verdicts =
      text === ''
        ? []
        : await scorers.nli(hand.map((source) => ({ premise: source.text, hypothesis: claim })));
    drafts.push({ text, hand, entailment: Math.max(0, ...verdicts.map(({ entailment }) => entailment)) });
    const generatedTokens = scorers.countTokens(text);
    const promptSize = promptTokens(messages, scorers);
    cost = added(
      cost,
      spending({ requests: 1, promptTokens: promptSize, generatedTokens, samplePairs: verdicts.length }),
    );
  }
  const [best] = drafts.filter(({ text }) => text !== '').sort((a, b) => b.entailment - a.entailment);
  return {
    text: best?.text ?? null,
    uncertainty: { drafting: best === undefined ? null : 1 - best.entailment },
    support: supportIn(query, best?.text ?? null, best?.hand ?? []),
    docs,
    spent: cost,
  };
}

async function answered(
  messages: readonly Message[],
  generator: Generator,
  { countTokens }: Pick<Scorers, 'countTokens'>,
): Promise<string> {
  let text = '';
  for await (const piece of generator.generate(messages, { maxTokens: ANSWER_TOKENS, temperature: 0 })) {
    if (countTokens(text + piece) > ANSWER_TOKENS) break;
    text += piece;
  }
  return text.trim();
}

/** What the uniform policy found, best first, and what it paid to find and rank it. */
async function retrieved(
  { id, query }: Asked,
  { whole }: Tools,
): Promise<Pick<Attempt, 'docs' | 'spent'> & { sources: Source[] }> {
  const { ranking, decision } = await whole.explain({ id, query });
  const shown = new Map(decision.evidence.map((each) => [each.passageId, each]));
  return {
    sources: ranking.flatMap(({ passageId }) => shown.get(passageId) ?? []),
    docs: [...new Set(ranking.map(({ docId }) => docId))],
    // Nobody compares what the language model answers from.
    spent: { ...spentOf(decision.receipt, undefined), nliPairs: 0 },
  };
}

function commonest(meanings: readonly number[]): number {
  const count = (meaning: number) => meanings.filter((each) => each === meaning).length;
  return meanings.reduce(
    (best, meaning) => (count(meaning) > count(best) ? meaning : best),
    meanings[0] ?? 0,
  );
}

function supportIn(query: string, text: string | null, sources: readonly Source[]): number | null {
  if (text === null || text === '') return null;
  return supportOf(toStatement(query, text), sources.map((source) => source.text).join('\n'));
}

function promptTokens(messages: readonly Message[], { countTokens }: Pick<Scorers, 'countTokens'>): number {
  return messages.reduce((sum, { content }) => sum + countTokens(content), 0);
}

function generatorOf({ generator }: Tools): Generator {
  if (generator !== undefined) return generator;
  throw new PragauraError('INTERNAL', 'A language model is asked for, and none is at hand.');
}
