import { type Colours, plainLine } from '../../common/index.ts';
import type { Answer, Quote } from '../answer/index.ts';
import type { Decision, Evidence } from '../contracts.ts';
import { flow, type Run } from './layout.ts';

export interface RenderOptions {
  colours: Colours;
  /** Characters a line may have; Infinity for none. */
  width: number;
  /** Leaves out the passage of an answer and what else was read. */
  short?: boolean;
}

/** Characters of the passage that are shown before and after the answer. */
const CONTEXT = 240;
/** From here on a signal is worth a word to the reader. */
const NOTABLE = { D: 0.2, C: 0.2, E: 0.8 };

/** What a person gets to see of a decision. Everything from documents and queries is made harmless. */
export function renderDecision(decision: Decision, options: RenderOptions): string {
  const { colours: c, width } = options;
  const parts = [
    ...understood(decision, options),
    ...(decision.parts.length > 0 ? partsOf(decision, options) : outcomeOf(decision, options)),
  ];
  parts.push(...claimLines(decision, options));
  const doubts = [...(decision.answer ? doubtsOf(decision) : []), ...decision.caveats];
  if (doubts.length > 0) {
    parts.push(
      '',
      decision.answer ? 'Not certain:' : 'Noted:',
      ...doubts.map((doubt) => flow([{ text: `- ${doubt}` }], width, '  ')),
    );
  }
  parts.push('', flow([{ text: decision.guarantee.sentence, style: c.dim }], width));
  return `${parts.join('\n')}\n`;
}

/** That somebody says so changes nothing by itself; how it could. */
function claimLines({ claim, answer }: Decision, { colours: c, width }: RenderOptions): string[] {
  if (claim === undefined || answer?.verdict === 'yes') return [];
  const text =
    'Nothing is changed by your saying so. If the documents are to say it, propose it: ' +
    'pragaura ask … --json | pragaura knowledge propose --decision - --index DIR';
  return ['', flow([{ text, style: c.dim }], width)];
}

/** Each question of several with what a whole decision about it would show, and how many are answered. */
function partsOf(decision: Decision, options: RenderOptions): string[] {
  const { colours: c, width } = options;
  const { parts } = decision;
  const shown = parts.flatMap((part, i) => {
    const { query, act, action, answer, clarification, abstention } = part;
    const quoted = new Set(answer?.quotes.map(({ passageId }) => passageId));
    const evidence = decision.evidence.filter(({ passageId }) => quoted.has(passageId));
    const own: Decision = {
      ...decision,
      query,
      act,
      action,
      answer,
      clarification,
      abstention,
      evidence,
      parts: [],
    };
    return [
      ...(i === 0 ? [] : ['']),
      flow([{ text: `${i + 1}. ${query}`, style: c.bold }], width),
      ...outcomeOf(own, options),
    ];
  });
  const answered = parts.filter(({ action }) => action === 'ANSWER').length;
  if (answered === parts.length) return shown;
  const asking = parts.filter(({ action }) => action === 'ASK').length;
  const reply = asking > 1 ? ' A reply goes to the first question back.' : '';
  return [
    ...shown,
    '',
    flow([{ text: `${answered} of ${parts.length} questions answered.${reply}` }], width),
  ];
}

/** The answer with its passage, or why there is none. */
function outcomeOf(decision: Decision, options: RenderOptions): string[] {
  const { colours: c, width } = options;
  const parts: string[] = [];
  const refusal = decision.clarification ?? decision.abstention;
  if (decision.answer) parts.push(...renderAnswer(decision, decision.answer, options));
  if (refusal) {
    const label = decision.action === 'ASK' ? 'Question back:' : 'No answer:';
    parts.push(flow([{ text: label, style: c.yellow }, { text: ` ${refusal.message}` }], width));
    parts.push(c.dim(`  (${refusal.reason})`));
    const choices = decision.clarification?.question?.options ?? [];
    const shown = choices.length > 0 ? choices : refusal.suggestions.map((value) => ({ value }));
    if (shown.length > 0) {
      parts.push('', decision.action === 'ASK' ? 'You may mean:' : 'What can be answered:');
      for (const [i, choice] of shown.entries()) {
        const mark = choices.length > 1 ? `${i + 1}.` : '-';
        const about = 'about' in choice && choice.about !== undefined ? `  (${choice.about})` : '';
        parts.push(flow([{ text: `${mark} ${choice.value}`, style: c.bold }, { text: about }], width, '  '));
      }
    }
    if (decision.evidence.length > 0) {
      parts.push('', 'Closest:', ...sourceLines(decision.evidence, c).slice(0, 3));
    }
  }
  return parts;
}

/** What the conversation and learned defaults made of the query, before anything else is said. */
function understood(
  { selfContained, routed, defaults, votes, askedBefore }: Decision,
  { colours: c, width }: RenderOptions,
): string[] {
  const lines = [
    ...(selfContained === undefined ? [] : [`Understood as: ${selfContained.text}`]),
    // What is proposed stands in the question.
    ...defaults
      .filter(({ outcome, reason }) => reason !== 'COLLECTION' || outcome === 'APPLIED')
      .map(({ sentence, reason }) => (reason === 'COLLECTION' ? sentence : `By habit: ${sentence}`)),
    ...(askedBefore?.instead === 'REPLY'
      ? [`Not asked again: you said "${askedBefore.value}" for ${askedBefore.variable} before.`]
      : []),
    ...(routed === undefined ? [] : [`Asked instead: ${routed}`]),
    ...votes.flatMap(({ problem }) => (problem === null ? [] : [`Your answer was not kept: ${problem}`])),
  ];
  return lines.length === 0 ? [] : [...lines.map((text) => flow([{ text, style: c.dim }], width)), ''];
}

/** The answer in its form, where it stands, and what else was read. */
function renderAnswer(decision: Decision, answer: Answer, options: RenderOptions): string[] {
  const { colours: c, width, short = false } = options;
  const [first] = answer.quotes;
  const found = decision.evidence.find(({ passageId }) => passageId === first!.passageId);
  // What is said of a claim is no answer to it, unless it is a verdict.
  const beside = decision.claim !== undefined && answer.verdict === null;
  const said = beside ? 'The documents say:' : answer.band === 'HIGH' ? 'Answer:' : 'Probably:';
  const label: Run = { text: said, style: c.green };
  const parts =
    answer.form === 'span' ? spanLines(answer, label, options) : formLines(answer, label, options);
  if (answer.cut !== null) parts.push(flow([{ text: answer.cut, style: c.dim }], width));
  parts.push('');
  if (found !== undefined && answer.form === 'span' && !short) {
    const highlight = (text: string) => c.bold(c.green(text));
    parts.push(flow(highlighted(found, first!, highlight), width, '  '));
  }
  parts.push(...placesQuoted(decision, answer, c));
  if (short) return parts;
  const quoted = new Set(answer.quotes.map(({ passageId }) => passageId));
  const others = decision.evidence.filter(({ passageId }) => !quoted.has(passageId));
  const told = new Set(placesQuoted(decision, answer, c));
  const lines = sourceLines(others, c).filter((line) => !told.has(line));
  if (lines.length > 0) parts.push('', 'Also read:', ...lines);
  return parts;
}

function spanLines({ text }: Answer, label: Run, { colours: c, width }: RenderOptions): string[] {
  const highlight = (shown: string) => c.bold(c.green(shown));
  return [flow([label, { text: ' ' }, { text, style: highlight }], width)];
}

/** Items and steps on lines of their own, hanging; verdicts and names of sides stand out. */
function formLines(
  { text, form, quotes }: Answer,
  label: Run,
  { colours: c, width }: RenderOptions,
): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const sides = quotes.flatMap(({ of }) => (of === undefined ? [] : [`${of}: `]));
  const shown = lines.map((line, i): Run[] => {
    if (form === 'verdict' && i === 0) return [{ text: line, style: (word) => c.bold(c.green(word)) }];
    const side = sides.find((each) => line.startsWith(each));
    if (side === undefined) return [{ text: line }];
    return [{ text: side.trimEnd(), style: c.bold }, { text: ` ${line.slice(side.length)}` }];
  });
  if (shown.length === 1 || form === 'verdict') {
    const [head, ...rest] = shown;
    return [flow([label, { text: ' ' }, ...head!], width), ...rest.map((line) => flow(line, width, '  '))];
  }
  return [flow([label], width), ...shown.map((line, i) => flow(line, width, `  ${indentOf(lines[i]!)}`))];
}

/** One line for each passage that is quoted, at its first quote. */
function placesQuoted({ evidence }: Decision, { quotes }: Answer, c: Colours): string[] {
  const places = quotes.flatMap((quote, i) => {
    const passage = evidence.find(({ passageId }) => passageId === quote.passageId);
    const isFirst = quotes.findIndex(({ passageId }) => passageId === quote.passageId) === i;
    return passage === undefined || !isFirst ? [] : [sourceLine(passage, c, quote.start)];
  });
  return [...new Set(places)];
}

/** One line a place: passages that one list or page was cut into have the same. */
function sourceLines(passages: readonly Evidence[], c: Colours): string[] {
  return [...new Set(passages.map((passage) => sourceLine(passage, c)))];
}

/** The indentation of a line within its list. */
function indentOf(line: string): string {
  return /^[ \t]{0,8}/.exec(line)![0].replaceAll('\t', '  ');
}

/** The answer within its passage, cut at words where the passage is long. */
function highlighted(passage: Evidence, answer: Quote, style: (text: string) => string): Run[] {
  const from = answer.start - passage.start;
  const to = answer.end - passage.start;
  const { text } = passage;
  if (text.slice(from, to) !== answer.text) return [{ text }];
  const left =
    from > CONTEXT ? `…${trimmed(text.slice(from - CONTEXT, from), /^\S{0,30}\s+/u)}` : text.slice(0, from);
  const right =
    text.length - to > CONTEXT
      ? `${trimmed(text.slice(to, to + CONTEXT), /\s+\S{0,30}$/u)}…`
      : text.slice(to);
  return [{ text: left }, { text: answer.text, style }, { text: right }];
}

/** A cut text without the word or the half of a character that the cut went through. */
function trimmed(text: string, edge: RegExp): string {
  return text.replace(edge, '').replace(/^\p{Cs}|\p{Cs}$/gu, '');
}

/** "file:12:5" where the position is line:column, else "file, p. 3"; of the answer where that can be told. */
export function placeOf(passage: Evidence, answerStart?: number): string {
  const lineColumn = /^(\d+):(\d+)$/.exec(passage.position);
  if (!lineColumn)
    return plainLine(`${passage.source}${passage.position === '' ? '' : `, ${passage.position}`}`);
  let line = Number(lineColumn[1]);
  let column = Number(lineColumn[2]);
  if (answerStart !== undefined) {
    const before = passage.text.slice(0, answerStart - passage.start).split(/\r\n|\r|\n/);
    line += before.length - 1;
    column = before.length === 1 ? column + before[0]!.length : before.at(-1)!.length + 1;
  }
  return plainLine(`${passage.source}:${line}:${column}`);
}

function sourceLine(passage: Evidence, c: Colours, answerStart?: number): string {
  const title = plainLine(passage.title);
  return `  ${c.cyan(placeOf(passage, answerStart))}${title === '' ? '' : c.dim(`  ${title}`)}`;
}

/** What speaks against trusting the answer, in words. */
function doubtsOf({ answer, signals: { D, C, E, counts }, receipt }: Decision): string[] {
  if (answer?.band === 'LOW') return ['The passage answers, but which of its words do is not sure.'];
  const doubts: string[] = [];
  const say = (text: string, value?: number) =>
    doubts.push(value === undefined ? text : `${text} (${value.toFixed(2)})`);
  if (D === null) say('Whether the branches agree could not be measured.');
  else if (D > NOTABLE.D) say(`The branches found ${counts.distinctAnswers} different answers`, D);
  if (C === null) say('Whether the sources contradict each other could not be measured.');
  else if (C > NOTABLE.C) say('Sources contradict each other', C);
  if (E === null) say('Whether the evidence supports the answer could not be measured.');
  else if (E < NOTABLE.E) say('The evidence supports the answer only in part', E);
  if (counts.independentSources === 1) say('There is one independent source only.');
  if (counts.truncatedTokens > 0) say(`${counts.truncatedTokens} word pieces of the evidence went unread.`);
  if (counts.pairsDenied > 0) {
    say(`${counts.pairsDenied} comparisons did not fit the budget of ${receipt.budget.nliPairs}.`);
  }
  return doubts;
}
