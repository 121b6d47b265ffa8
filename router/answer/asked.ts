/** What form of answer a query asks for, and what it names: the term, the sides, whether several. English only. */

import { contentStems, shareHeld } from '../../conversation/index.ts';
import { quantitiesIn } from '../../corpus/index.ts';
import type { Act } from '../../profiles/index.ts';
import { isYesNoQuestion } from '../../scorers/index.ts';
import { termAsked } from '../layers/term-asked.ts';
import type { Form } from './record.ts';

const MOST_CHARS = 600;

const FORM_OF: Record<Act, Form> = {
  FACT: 'span',
  QUANTITY: 'span',
  DEFINITION: 'definition',
  PROCEDURE: 'steps',
  EXPLANATION: 'explanation',
  OPINION: 'explanation',
  COMPARISON: 'comparison',
  VERIFICATION: 'verdict',
  NOT_A_QUESTION: 'passage',
};

/** The form by the act, and by the words where they leave no doubt. */
export function formAsked(query: string, act: Act): Form {
  if (isYesNoQuestion(query)) return 'verdict';
  if (/^\s*why\b/i.test(query)) return 'explanation';
  if (stepAsked(query) !== null) return 'steps';
  if (sidesAsked(query) !== null) return 'comparison';
  if (act === 'COMPARISON') return 'explanation';
  if (act === 'FACT' && severalAsked(query)) return 'span';
  const entry = entryAsked(query);
  const isEntry = entry !== null && entry.attribute !== true;
  if (isEntry && act !== 'QUANTITY' && act !== 'PROCEDURE') return 'definition';
  return FORM_OF[act];
}

const ACT_OF: Partial<Record<Form, Act>> = {
  definition: 'DEFINITION',
  steps: 'PROCEDURE',
  explanation: 'EXPLANATION',
  comparison: 'COMPARISON',
  verdict: 'VERIFICATION',
};

/**
 * The act whose threshold a query is held to: its own, unless its words ask for an answer in the form of another act. "What
 * does --all do?", read as FACT, is answered with an entry as definitions are, and is right or wrong as often as these.
 */
export function actByForm(query: string, act: Act): Act {
  const form = formAsked(query, act);
  return form === FORM_OF[act] ? act : (ACT_OF[form] ?? act);
}

const MEANT = /\bwhat (?:is|are) meant by (?:an? |the )?(.{1,120}?)[?.!\s]*$/i;
const STEP =
  /\b(?:what|which|show|tell|describe|explain)\b.{0,60}\b(?:step|item|point|stage) (?:number |no\.? ?|#)?(\d{1,5})\b/i;

/** The number of the step that a query asks for: "What is step 3 of the installation?"; null where it asks for none. */
export function stepAsked(query: string): number | null {
  const found = STEP.exec(query.slice(0, MOST_CHARS))?.[1];
  return found === undefined ? null : Number(found);
}

/** "An environment variable" is a kind of thing, and no variable of the name "environment". */
const INDEFINITE = /\bwhat(?:'s| is| does| would| is meant by) an? /i;
const DOES =
  /\bwhat (?:does|do|is|are|will|would) (?:the |an? )?(.{1,120}?)(?: (?:do|does|mean|stand for|for|used for|good for|control|set|specify|return|hold|contain))?[?.!\s]*$/i;
/** What kind of thing an entry is about, named before or behind its term; and what is named before it alone. */
const KIND =
  'option|flag|switch|setting|parameter|argument|variable|command|builtin|function|method|field|keyword|directive|attribute|' +
  'property|class|module|signal|button';
const KIND_BEFORE = 'file|menu item|term|word';
const ENTRY_KINDS = contentStems(`${KIND}|${KIND_BEFORE}`.replaceAll('|', ' '));
/** Least share of what a query names beside a term that the passage of its entry has to hold. */
const BESIDE = 0.5;

const KINDS = new RegExp(`^(?:(?:command[- ]line )?(?:${KIND}|${KIND_BEFORE})\\s+)+`, 'i');
const KIND_BEHIND = new RegExp(`\\s+(?:command[- ]line )?(?:${KIND})$`, 'i');

/** An option behind what has it: "the tar option -x", "cpfind's --multirow". */
const OPTION_OF = new RegExp(`^(.+?)(?:['’]s)?(?: (?:${KIND}))? (-{1,2}[\\w?][\\w-]*)$`, 'i');
/** A name behind what it is the name of: "the job state code CG", "error 42P01". A number alone is none. */
const NAMED_AS = /^((?:\p{Ll}[\p{Ll}-]*\s+){1,4})(?=\S*[\p{L}_])(\S*[\p{Lu}\p{N}_]\S*)$/u;

/** What documents say of a thing in its entry. */
const ATTRIBUTE =
  /\bwh(?:at|ich)(?:['’]?s| is| are| was)? (?:the )?((?:default|initial|maximum|minimum|allowed|possible|valid|recommended) (?:value|setting|size|limit)s?|default|type|syntax|range) (?:of|for) (?:the )?(.{1,80}?)[?.!\s]*$/i;

/** Of "What is the default of mail_check?" mail_check, whose entry says it; null where no such thing is asked for. */
function attributeAsked(query: string): AskedEntry | null {
  const { bare, place } = placed(query);
  const [, attribute, of] = ATTRIBUTE.exec(bare) ?? [];
  const term = of === undefined ? '' : bareTerm(of);
  if (term === '' || /\s/.test(term)) return null;
  const beside = contentStems(`${attribute!.split(' ')[0]} ${place}`);
  return { term, whole: of!, beside, kinds: kindsIn(of!, term), attribute: true };
}

/** A query without the place that stands behind it in brackets. */
function placed(query: string): { bare: string; place: string } {
  const cut = query.slice(0, MOST_CHARS);
  const [hint = '', place = ''] = PLACE.exec(cut) ?? [];
  return { bare: cut.slice(0, cut.length - hint.length), place };
}

/** What kind of thing a term is said to be. */
function kindsIn(named: string, term: string): ReadonlySet<string> {
  const own = contentStems(term);
  return new Set([...contentStems(named)].filter((stem) => ENTRY_KINDS.has(stem) && !own.has(stem)));
}

/**
 * The term whose entry would answer: of "What is a fast-forward?" the term whose meaning is asked, of "What does the option
 * --autosquash do?" what is named. Null where the query asks for something else.
 */
export function entryAsked(query: string): AskedEntry | null {
  const attribute = attributeAsked(query);
  if (attribute !== null) return attribute;
  const { bare, place } = placed(query);
  const cut = plainly(bare);
  const asked = termAsked(cut)?.text ?? MEANT.exec(cut)?.[1] ?? DOES.exec(cut)?.[1];
  if (asked === undefined) return null;
  const [named, ...behind] = asked.split(OF);
  if (behind.length > 0 && SAID_OF.test(named!)) return null;
  const bareOf = INDEFINITE.test(cut) ? unquoted : bareTerm;
  const term = bareOf(named!);
  if (term === '' || term.split(/\s+/).length > 6) return null;
  const [, of = '', option = term] = OPTION_OF.exec(term) ?? NAMED_AS.exec(term) ?? [];
  const beside = contentStems([of, ...behind, place].join(' '));
  for (const kind of ENTRY_KINDS) beside.delete(kind);
  const kinds = kindsIn(named!, term);
  return { term: PLURAL.test(cut) ? singular(option) : option, whole: bareOf(asked), beside, kinds };
}

/** "What's a view?", "What exactly is a view?" and "view meaning" as "what is a view". */
function plainly(query: string): string {
  return query
    .replace(
      /^(\S+[:,] )?what(?:['’]?s| exactly is| counts as) (?!wrong|bad|good|new|up|inside|left|missing)/i,
      '$1what is ',
    )
    .replace(/^(?:the )?(?:meaning|purpose) of (?=\S)/i, 'what is ')
    .replace(/^(?!what )(.{1,60}?) meaning\b(?: and \b.*)?/i, 'what is $1');
}

/** What is said of a thing and has no entry: "the danger of", "the reason for". */
const SAID_OF =
  /^(?:\w+ )?(?:point|danger|use|cause|reason|advantage|benefit|drawback|downside|problem|risk|price|effect)s?$/i;
const PLURAL = /\bwhat are /i;

/** "variable" of "variables"; what does not look like a plural as it is. */
function singular(term: string): string {
  return term
    .replace(/([b-df-hj-np-tv-z])ies$/i, '$1y')
    .replace(/(ss|x|ch|sh)es$/i, '$1')
    .replace(/(?<=\p{L}{2}[^sui])s$/iu, '');
}

function bareTerm(text: string): string {
  return unquoted(text.replace(KINDS, '').replace(KIND_BEHIND, ''));
}

function unquoted(text: string): string {
  return text.replace(/^["'“‘«`]+|["'”’»`]+$/gu, '').trim();
}

/** A term whose entry would answer, and what the query names beside it: of "the -e option of echo" -e and echo. */
export interface AskedEntry {
  term: string;
  /** With what is named beside it, which may be part of it: "end of file". */
  whole: string;
  beside: ReadonlySet<string>;
  /** What kind of thing it is said to be, as stems: of "the variable sort" variable. */
  kinds: ReadonlySet<string>;
  /** Whether one thing that its entry says is asked for: "the default of mail_check". */
  attribute?: true;
}

/** Whether a passage stands among things of the kind that the query says its term to be. */
export function isOfKind({ kinds }: Pick<AskedEntry, 'kinds'>, { title }: { title: string }): boolean {
  if (kinds.size === 0) return false;
  const stems = contentStems(title);
  return [...kinds].some((kind) => stems.has(kind));
}

/** Whether a passage is about what the query names beside its term. */
export function holdsBeside(asked: AskedEntry, passage: { title: string; text: string }): boolean {
  return isBeside(shareBeside(asked, passage));
}

/** Whether a share of what is named beside a term is enough of it. */
export function isBeside(share: number): boolean {
  return share >= BESIDE;
}

/** The share that a passage holds of what the query names beside its term, in [0, 1]. */
export function shareBeside(
  { beside }: AskedEntry,
  { title, text }: { title: string; text: string },
): number {
  return shareHeld(beside, contentStems(`${title} ${text.slice(0, LONGEST)}`));
}

/** Whether a query says more than which term it asks about: "What does -v do when files are listed?" */
export function namesMore(query: string, asked: AskedEntry): boolean {
  return asked.beside.size > 0 || beyond(query, asked).size > 0;
}

/** What a query names that is neither its term nor said of any term. */
function beyond(query: string, { term, whole }: AskedEntry): Set<string> {
  const rest = contentStems(query.slice(0, MOST_CHARS));
  for (const stem of [...contentStems(`${term} ${whole}`), ...ENTRY_KINDS, ...FRAME]) rest.delete(stem);
  return rest;
}

/** What is written like a name and not like a word: "core.autocrlf", "HISTSIZE", "$mail_check". */
const NAME = /^-|[_$.\d]|\p{Ll}\p{Lu}|^\p{Lu}{2,}/u;

export function isName(term: string): boolean {
  return NAME.test(term);
}

/** An identifier as a heading writes it: "focus follows mouse" of focus_follows_mouse. */
export function inWords(name: string): string {
  return name.replaceAll('_', ' ');
}

/**
 * The entry that a query asks for and for nothing beside it: that of a name, which is no word of the language, or what an entry
 * says of its term. Null where it may ask for something else.
 */
export function entryAlone(query: string): AskedEntry | null {
  const asked = entryAsked(query);
  if (asked === null || !(isName(asked.term) || asked.attribute)) return null;
  const rest = [...beyond(query, asked)];
  return rest.every((stem) => asked.beside.has(stem) || OF_ATTRIBUTES.has(stem)) ? asked : null;
}

/** "the price", "my deadline" and "not a zone" are one thing, or anything but one. */
const ONE_OF_ITS_KIND = /\b(?:is|are|does|do) (?:the|my|our|your|its|their|this|that|not)\b/i;

/** The word that a query asks the meaning of, and nothing beside it: "What is a zone?" Null for names, which have entries. */
export function wordAlone(query: string): string | null {
  const asked = entryAsked(query);
  if (asked === null || isName(asked.term) || asked.attribute || namesMore(query, asked)) return null;
  return ONE_OF_ITS_KIND.test(query) ? null : asked.term;
}

const OF_ATTRIBUTES = contentStems('value setting size limit');
/** What is said of a term whatever it is. */
const FRAME = contentStems(
  'what does do mean called stand used good control set specify return hold contain define explain',
);

/** What a reply to a question back puts behind a query: where it is about. */
const PLACE = /\s*\(([^()]{1,300})\)[\s?.!]*$/;
const OF = /\s+(?:of|in|for|to|with|on|from)\s+/i;
const LONGEST = 8_000;

/** Nothing but two things: "PNG or GIF for transparency?" */
const EITHER =
  /^(?!(?:am|is|are|was|were|do|does|did|can|could|may|might|must|should|will|would|has|have|had|how|what|which|who|when|where|why|if|i|we|you|my|our|any|one|more|less)\b)(\S+(?: \S+)?) or (\S+(?: \S+)?)(?: (?:for|in|on|over|when|if|with|of|as|by)\b.{1,80})?$/i;
const SIDES: readonly RegExp[] = [
  /\b(?:difference|differences|distinction|relation|relationship|similarit(?:y|ies)|choice|choose|choosing|decide) between (.{1,100}?) and (.{1,100})$/i,
  /\bhow (?:does|do|is|are) (.{1,100}?) (?:differ|different|compare|compared?|distinguished?) (?:from|to|with) (.{1,100})$/i,
  /\bhow (?:do|does|are) (.{1,100}?) and (.{1,100}?) (?:differ|compare|different)\b/i,
  /\bwhat (?:distinguishes|separates) (.{1,100}?) from (.{1,100})$/i,
  /\bcompare (.{1,100}?) (?:and|with|to|against) (.{1,100})$/i,
  /\b(?:is|are|does|do) (.{1,80}?) (?:\w+er|more \w+|less \w+|better|worse) than (.{1,100})$/i,
  /(.{1,80}?) (?:vs\.?|versus|as opposed to|compared (?:to|with)) (.{1,100})$/i,
  /^differences? (?:of |in )?(\S{2,40}) (?:and |to |from )?(\S{2,40})(?: .{1,60})?$/i,
  /^(.{1,60}?) (?:and|or) (.{1,60}?)(?:\s+[-–—]|[,:])\s+(?:how|where|what|which)\b.{0,40}\b(?:they|both|two|which)\b/i,
  /^(.{1,60}?) or (.{1,60}?)(?:\s+[-–—]|[,:])\s+(?:what|when|which|who)\b/i,
  /^(.{1,60}?) (?:and|or) (.{1,60}?)(?:\s+[-–—]|[,:])?\s+(?:(?:what|what's|whats|any|is|where)\b.{0,30} )?(?:the |a )?differ(?:ences?|ent|s)?(?: (?:in|of|for|to|on|with)\b.{1,80})?$/i,
  /\b(?:which|what|who)\b.{1,120}[,:] (.{1,60}?),? or (.{1,60})$/i,
  /\bshould (?:i|we|one) (?:rather |better )?[a-z]+ (.{1,60}?) or (.{1,60})$/i,
  /\b(?:into|in|use|be|as|with|to|prefer|choose) (\S{2,40}) or (\S{2,40})$/i,
  EITHER,
];
const TAIL = /\s+(?:in|on|of|for|when|with|at|as|if|under|from|while|during)\s+.*$/i;

/** The two things that a query compares, as it names them; null where it compares none. */
export function sidesAsked(query: string): [string, string] | null {
  const asked = query
    .slice(0, MOST_CHARS)
    .replace(/[\s?!.…]+$/u, '')
    .replace(/\s+/g, ' ');
  for (const pattern of SIDES) {
    const [, one, other] = pattern.exec(asked) ?? [];
    if (one === undefined || other === undefined) continue;
    const sides = withHead(bare(one), bare(other));
    if (sides[0] !== '' && sides[1] !== '' && sides[0] !== sides[1]) return sides;
  }
  return null;
}

/** "Graphical or text installer" as two installers; "lp or lpr command" as lp and lpr. */
function withHead(one: string, other: string): [string, string] {
  const plain = other.replace(KIND_BEHIND, '');
  if (plain !== other) return [one, plain];
  const head = /^\p{L}[\p{L}-]* (\p{Ll}+)$/u.exec(other)?.[1];
  return head !== undefined && /^\p{L}[\p{L}-]*$/u.test(one) ? [`${one} ${head}`, other] : [one, other];
}

function bare(side: string): string {
  const head = side.replace(TAIL, '') || side;
  return head
    .replace(/^(?:what|whats|what's|is|are|the difference|between|using|the|an?|to|do|does)\s+/gi, '')
    .replace(/^(?:the|an?)\s+/i, '')
    .replace(/^["'“‘«`]+|["'”’»`]+$/gu, '')
    .trim();
}

/** What is compared, with the names under which it may have an entry. */
export interface Side extends AskedEntry {
  name: string;
}

/**
 * The sides as entries to look for. What both begin with ("make clean" and "make distclean", "read -n" and "read -N") is
 * what their entries stand under, and may be no part of their names.
 */
export function sideEntries([one, other]: readonly [string, string]): [Side, Side] {
  const [a, b] = [one.split(/\s+/), other.split(/\s+/)];
  let shared = 0;
  while (shared < Math.min(a.length, b.length) - 1 && a[shared] === b[shared]) shared += 1;
  // Of "RAID 0" the number alone is no name.
  if (shared > 0 && [a, b].some((words) => /^\d+$/.test(words.slice(shared).join(' ')))) shared -= 1;
  const beside = contentStems(a.slice(0, shared).join(' '));
  const side = (name: string, words: readonly string[]): Side => ({
    name,
    whole: name,
    term: words.slice(shared).join(' '),
    beside,
    kinds: new Set(),
  });
  return [side(one, a), side(other, b)];
}

const SEVERAL =
  /\b(?:which|what) (?:\w+ ){0,3}?(\w{3,}s)\b(?! (?:is|was|has)\b)|\b(?:list|name|enumerate) (?:all|the|some|every)?\b|\bwhat (?:are|were) (?:all )?(?:the )?/i;
const NO_PLURAL = /(?:ss|us|is|does|was|has|'s)$/i;

/** Whether a query asks for several values: "Which formats are supported?", "What are the …?", "List …". */
export function severalAsked(query: string): boolean {
  const found = SEVERAL.exec(query.slice(0, MOST_CHARS));
  return found !== null && !(found[1] !== undefined && NO_PLURAL.test(found[1]));
}

/** Numbers, dates and frequencies that stand alone as an answer and are no numeral inside a sentence. */
const ALONE =
  /\b(?:zero|one|first|second|third|fourth|fifth|once|none|never|always|hourly|daily|weekly|monthly|yearly|annually|january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;

/** Whether a text holds a number, a date or a frequency: what holds none is no quantity. English, but for digits. */
export function holdsNumber(text: string): boolean {
  return quantitiesIn(text.slice(0, LONGEST)) !== 0 || ALONE.test(text);
}

/** Whether a heading asks what the query asks, be it a question or not. */
export function asksAs(query: string, heading: string): boolean {
  return isQuestionAsked(query, heading) || (contentStems(query).size > 1 && sameStems(query, heading));
}

/** Whether a heading is the question itself, as in lists of what is often asked. */
export function isQuestionAsked(query: string, heading: string): boolean {
  return /[?？]\s*$/u.test(heading) && sameStems(query, heading);
}

/** Whether two texts have the same content words, whatever their forms and order; not where they have none. */
export function sameStems(one: string, other: string): boolean {
  const [a, b] = [contentStems(one), contentStems(other)];
  return a.size > 0 && a.size === b.size && shareHeld(a, b) === 1;
}
