/** Questions that a single plain sentence answers, made of its own words by rules. English only. Pure. */
import { clauseOf } from '../../scorers/index.ts';
import type { Labelled } from '../types.ts';

/** A question with what its label says of the answer. */
export interface Asked {
  kind: 'quantity' | 'verdict' | 'reason' | 'definition' | 'place' | 'procedure';
  query: string;
  right: Pick<Labelled, 'patterns' | 'verdict'>;
  /** The answer in its words, for a person to read. */
  answer: string;
}

const LONGEST = 240;
/** Sentences that lean on what stands around them ask nothing by themselves. */
const LEANING =
  /\b(?:this|these|those|it|its|they|their|them|he|she|his|her|such|above|below|here|there|following|previous|next|former|latter|also|however|therefore|thus|instead|otherwise|another|other|others|same|both|we|you|your|our|i|e\.g|i\.e|etc)\b/i;
/** Things that every page has one of: which is meant, only the page tells. */
const COMMON =
  /^(?:(?:the|a|an|each|every|all|any|some|no|one|only|most|many)\s+)?(?:\w+ed\s+)?(?:command|commands|option|options|function|functions|file|files|value|values|argument|arguments|parameter|parameters|first|second|third|last|result|results|output|input|string|strings|name|names|number|list|default|variable|variables|line|lines|user|users|example|examples|system|page|section|table|figure|chapter|part|way|case|problem|reason|note|changes?|method|class|object|type|rest|set|text|code|program|script|current|new|data|information|documentation|manual|guide|tool|package|version|process|there|what|who|which|if|when|where|as|in|on|at|for|with|by|to|from|under|after|before|during|without|since|until)(?:\s|$)/i;
const BE = new Set(['is', 'are', 'was', 'were']);
const MODALS = new Set(['can', 'could', 'will', 'would', 'should', 'must', 'may', 'might']);
const NUMBERS =
  /^(?:\d[\d,]*(?:\.\d+)?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred)$/i;
const PREPOSITIONS = new Set([
  'for',
  'after',
  'within',
  'in',
  'with',
  'by',
  'at',
  'on',
  'to',
  'from',
  'every',
]);
/** What stands before a number and may be left out when it is asked for. */
const ABOUT =
  /\b(?:up to|at most|at least|no more than|no less than|more than|less than|fewer than|about|around|approximately|exactly|only|over|nearly|almost) (?=\S*\d|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty)/gi;
const LIMITS =
  /\b(?:default|maximum|minimum|length|size|limit|width|height|depth|weight|price|port|timeout|interval|period)\b/i;
const PLACED =
  /^(?:stored|kept|located|found|placed|saved|written|installed|defined|documented|listed|recorded|described|set|held)$/i;

/** Everything that is asked of one sentence, best first. `sentence`: on one line; `title`: that of its document. */
export function askedOf(sentence: string, title: string): Asked[] {
  if (sentence.length > LONGEST || !/^["(]?\p{L}/u.test(sentence) || !/[.!]$/.test(sentence)) return [];
  const purpose = purposeOf(sentence);
  if (purpose !== null) return [purpose];
  const defined = definitionOf(sentence);
  if (defined !== null) return [defined];
  const reason = reasonOf(sentence, title);
  if (reason !== null) return [reason];
  const limit = limitOf(sentence);
  if (limit !== null) return [limit];
  const clause = plainClause(sentence, title);
  if (clause === null) return [];
  const found = [quantityOf(clause), placeOf(clause)].filter((each) => each !== null);
  return [...found, ...verdictsOf(clause)];
}

interface Plain {
  subject: string;
  verb: string;
  /** What follows the verb, in words. */
  rest: readonly string[];
  sentence: string;
}

/** A sentence of one clause that says something of a thing which it names. */
function plainClause(sentence: string, title: string): Plain | null {
  if (
    LEANING.test(sentence) ||
    /[:;()[\]{}"“”<>=|`]|\.\s|\bnot?\b|\bnever\b|n't\b|\bcannot\b/i.test(sentence)
  )
    return null;
  const bare = sentence.replace(/[.!]$/, '').replace(ABOUT, '');
  const clause = clauseOf(bare.replace(/ every (?=\S+ \p{Ll}+s\b)/u, ' for '));
  if (clause === null || COMMON.test(clause.subject) || clause.subject.split(' ').length > 7) return null;
  if (/\d|,|\p{Lu}{4,}|\b(?:two|three|four|five|six|seven|eight|nine|ten)\b/u.test(clause.subject))
    return null;
  if (/^(?:some|any|many|most|several|few|more)\b/i.test(clause.subject)) return null;
  // "The technician": which one, only the page tells, unless the whole of it is about one.
  const only = /^the (\p{Ll}+)$/iu.exec(clause.subject)?.[1];
  if (only !== undefined && !title.toLowerCase().includes(only)) return null;
  const [verb, ...rest] = bare.slice(clause.subject.length).trim().split(' ');
  return verb === undefined ? null : { subject: inside(clause.subject), verb, rest, sentence };
}

/** A subject as it stands within a sentence: its determiner, or a word that is no name, in small letters. */
function inside(subject: string): string {
  const [first, ...more] = subject.split(' ');
  const small = first!.toLowerCase();
  const determines = /^(?:the|an?|each|every|all|any|some|one|most|many)$/.test(small);
  const plain =
    /^\p{Lu}\p{Ll}+$/u.test(first!) && (more.length > 0 ? /^\p{Ll}/u.test(more[0]!) : /s$/.test(first!));
  return determines || plain ? [small, ...more].join(' ') : subject;
}

/** "does hold", "is": the auxiliary that a question begins with, and the words left over of the verb; null: not sure. */
function inverted({ verb }: Plain): { auxiliary: string; left: string[] } | null {
  const small = verb.toLowerCase();
  if (BE.has(small) || MODALS.has(small)) return { auxiliary: small, left: [] };
  const base = baseOf(small);
  return base === null ? null : { auxiliary: 'does', left: [base] };
}

/** The base of a verb in the third person: "carries", "carry". Null for any other word. */
function baseOf(verb: string): string | null {
  if (verb === 'has') return 'have';
  if (verb === 'does' || !/^[a-z]{2,}s$/.test(verb) || /(?:ss|us|is)$/.test(verb)) return null;
  if (/ies$/.test(verb) && verb.length > 4) return `${verb.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz|o)es$/.test(verb)) return verb.slice(0, -2);
  return verb.slice(0, -1);
}

/** "The kettle holds 2 litres." asks "How many litres does the kettle hold?" */
function quantityOf(clause: Plain): Asked | null {
  const { subject, rest } = clause;
  const places = rest.flatMap((word, i) => (NUMBERS.test(word) ? [i] : []));
  const [at] = places;
  const verb = inverted(clause);
  if (at === undefined || places.length > 1 || verb === null || /\d/.test(subject)) return null;
  const number = rest[at]!;
  const unit = rest[at + 1] ?? '';
  const known = {
    kind: 'quantity' as const,
    right: { patterns: [numberPattern(number)] },
    answer: `${number} ${unit}`,
  };
  if (!/^\p{Ll}{2,}s$/u.test(unit) || /(?:ss|us|is)$/.test(unit)) return null;
  const before = rest[at - 1]?.toLowerCase();
  const led = before !== undefined && PREPOSITIONS.has(before);
  const others = [...rest.slice(0, led ? at - 1 : at), ...rest.slice(at + 2)];
  const paid = /^(?:euros|dollars|pounds|cents)$/.test(unit);
  const asks =
    before === 'every'
      ? `Every how many ${unit}`
      : led && !paid
        ? `${capital(before)} how many ${unit}`
        : `How many ${unit}`;
  if (BE.has(clause.verb) && at === 0) return null;
  if (at > 0 && (!led || (at > 3 && !/^(?:for|after|within|every)$/.test(before)))) return null;
  if (others.length > 8 || PREPOSITIONS.has(rest.at(-1) ?? '')) return null;
  return { ...known, query: `${[asks, verb.auxiliary, subject, ...verb.left, ...others].join(' ')}?` };
}

/** "The default port of the server is 8080." asks "What is the default port of the server?" */
function limitOf(sentence: string): Asked | null {
  const found =
    /^The (\p{Ll}[\p{L} -]{0,60}?) (is|are) (?:set to |limited to )?(\S{1,12})(?: (\p{L}{1,14}))?\.$/u.exec(
      sentence,
    );
  if (found === null || !NUMBERS.test(found[3]!) || LEANING.test(found[1]!)) return null;
  const [, what, verb, number, unit = ''] = found as unknown as [string, string, string, string, string?];
  if (what.split(' ').length < 3 || !LIMITS.test(what)) return null;
  return {
    kind: 'quantity',
    query: `What ${verb} the ${what}?`,
    right: { patterns: [numberPattern(number)] },
    answer: `${number} ${unit}`.trim(),
  };
}

/** "Backups are stored in the basement." asks "Where are backups stored?" */
function placeOf({ subject, verb, rest }: Plain): Asked | null {
  const [participle, preposition, ...place] = rest;
  if (!BE.has(verb) || participle === undefined || !PLACED.test(participle) || place.length === 0)
    return null;
  if (!/^(?:in|on|at|under|below|behind|inside)$/.test(preposition ?? '') || place.length > 8) return null;
  return {
    kind: 'place',
    query: `Where ${verb} ${subject} ${participle}?`,
    right: { patterns: [wordsPattern(place.slice(0, 4))] },
    answer: [preposition, ...place].join(' '),
  };
}

const OTHER: Readonly<Record<string, string>> = { two: 'five', three: 'seven', four: 'nine', six: 'ten' };

/** The sentence as a yes-or-no question; where it has a number, also with another one, which the answer denies. */
function verdictsOf(clause: Plain): Asked[] {
  const { subject, rest } = clause;
  const verb = inverted(clause);
  if (verb === null || rest.length > 9 || rest.length < 2 || rest.some((word) => word.includes(',')))
    return [];
  const ask = (words: readonly string[]) =>
    `${capital([verb.auxiliary, subject, ...verb.left, ...words].join(' '))}?`;
  const yes: Asked = { kind: 'verdict', query: ask(rest), right: { verdict: 'yes' }, answer: 'yes' };
  const at = rest.findIndex((word) => NUMBERS.test(word));
  const other = at === -1 ? undefined : otherNumber(rest[at]!);
  if (other === undefined) return [yes];
  const no: Asked = {
    kind: 'verdict',
    query: ask(rest.with(at, other)),
    right: { verdict: 'no' },
    answer: 'no',
  };
  return [yes, no];
}

function otherNumber(number: string): string | undefined {
  if (/^\d{1,6}$/.test(number)) return String(Number(number) * 2 + 1);
  return OTHER[number.toLowerCase()];
}

/** "A backfill is a later run …" asks "What is a backfill?" */
function definitionOf(sentence: string): Asked | null {
  const found =
    /^((?:An? )?(?:[\p{L}\p{N}][\p{L}\p{N}'./_-]*)(?: [\p{L}\p{N}][\p{L}\p{N}'./_-]*){0,3}?) (is|are) ((?:an?|the|any|one of) .{12,})$/u.exec(
      sentence,
    );
  if (found === null) return null;
  const [, term, verb, said] = found as unknown as [string, string, string, string];
  const named = /^An? /.test(term);
  if (!named && !/^\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}\p{N}-]*)*$/u.test(term)) return null;
  if (
    LEANING.test(term) ||
    COMMON.test(term) ||
    /^\p{Lu}{4,}$/u.test(term) ||
    /^(?:and|or|but|so|yes|no|because|if|when|while|since|although|unless|as|in|on|for|with|by|to)\b/i.test(
      term,
    )
  )
    return null;
  if (
    /^(?:the (?:same|case|usual|main|preferred|recommended|reason|result|only|first|last|most|best|default)|an? (?:good|bad|common|simple|few|lot|bit|must))\b/i.test(
      said,
    )
  )
    return null;
  const several = verb === 'are' && !term.includes(' ');
  const small = named || several || /^The /.test(term);
  const query = `What ${verb} ${small ? `${term[0]!.toLowerCase()}${term.slice(1)}` : term}?`;
  return { kind: 'definition', query, right: { patterns: [openingPattern(said)] }, answer: said };
}

/** "The urn keeps warm because its wall is double." asks "Why does the urn keep warm?" */
function reasonOf(sentence: string, title: string): Asked | null {
  const at = sentence.search(/,? because /i);
  if (at < 12) return null;
  const clause = plainClause(`${sentence.slice(0, at)}.`, title);
  const verb = clause && inverted(clause);
  if (!verb) return null;
  const reason = sentence.slice(at).replace(/^,? because /i, '');
  const query = `Why ${[verb.auxiliary, clause.subject, ...verb.left, ...clause.rest].join(' ')}?`;
  return { kind: 'reason', query, right: { patterns: [openingPattern(reason)] }, answer: reason };
}

/** "To descale the kettle, fill it with …" asks "How do I descale the kettle?" */
function purposeOf(sentence: string): Asked | null {
  const found =
    /^To (\p{Ll}+) ([^,:;.()"“”]{6,80}?), (?:(?:you|one) (?:can|must|should|have to) |simply |just |please )?(\p{Ll}{2,}) (.{4,})$/u.exec(
      sentence,
    );
  if (found === null) return null;
  const [, verb, object, does, how] = found as unknown as [string, string, string, string, string];
  if (
    /^(?:be|make|do|this|that|it|ensure|start|begin|see|summari[sz]e|understand|repeat)$/.test(verb) ||
    /^(?:the|an?|there|it|is|see|for)$/.test(does)
  )
    return null;
  if (/^(?:that|which|what|all|any|both)\b/.test(object)) return null;
  if (LEANING.test(object.replace(/\b(?:you|your|another|other|others|same)\b/gi, ''))) return null;
  return {
    kind: 'procedure',
    query: `How do I ${verb} ${asMine(object)}?`,
    right: { patterns: [openingPattern(`${does} ${how}`)] },
    answer: `${does} ${how}`,
  };
}

/** What is said to a reader, as he says it himself. */
export function asMine(text: string): string {
  return text
    .replace(/\byourself\b/gi, 'myself')
    .replace(/\byour\b/gi, 'my')
    .replace(/\byou are\b/gi, 'I am')
    .replace(/\byou\b/gi, 'I');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const OPENING_WORDS = 5;

/** The first words of an answer as they stand, whatever marks lie between them. */
export function openingPattern(text: string): string {
  return wordsPattern(text.split(/\s+/).slice(0, OPENING_WORDS));
}

/** Words one after the other; what is no letter or digit may be anything but these. */
function wordsPattern(words: readonly string[]): string {
  const runs = words.join(' ').match(/[\p{L}\p{N}_]+/gu) ?? [];
  return runs.length === 0 ? '.' : `${/^\w/.test(runs[0]!) ? '\\b' : ''}${runs.join('\\W+')}`;
}

const SPELLED = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

function numberPattern(number: string): string {
  const plain = number.toLowerCase().replace(/,(?=\d{3})/g, '');
  const place = SPELLED.indexOf(plain);
  if (place !== -1) return `\\b(?:${plain}|${place})\\b`;
  if (/^\d+$/.test(plain) && Number(plain) < SPELLED.length)
    return `\\b(?:${plain}|${SPELLED[Number(plain)]})\\b`;
  if (!/^[\d.]+$/.test(plain)) return `\\b${plain}\\b`;
  const [whole, part] = plain.split('.');
  const grouped = whole!.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',?');
  return `\\b${grouped}${part === undefined ? '' : `\\.${part}`}\\b`;
}
