import { list, oneLine, quoted } from '../../common/index.ts';
import { AUXILIARIES, contentStems, QUESTION_WORDS } from '../../conversation/index.ts';
import type { Evidence } from '../contracts.ts';
import { asks } from './found.ts';
import { coverage } from './retrieved.ts';
import type { Layer, LayerInput, LayerOutcome } from './types.ts';

const MOST_CHARS = 120;
const MOST = 3;
/** Entries of one term that are shown side by side at most. */
const MOST_ENTRIES = 4;
/** Passages that are looked into, and how relevant one is beside the best that counts as speaking of it. */
const LOOKED_AT = 12;
const SHARE = 0.1;
const LONGEST = 8_000;
/** A reading, or a passage, with such a score is an answer, and others with less than half of it are none. */
const SURE = 0.5;

const ATTRIBUTES =
  'default|limit|maximum|minimum|price|cost|fee|size|length|duration|name|address|deadline|value|format|syntax|version|' +
  'option|argument|parameter|requirement|purpose|reason|date|time|rate|status|type|order|range|unit|result|' +
  'difference|interval|timeout|threshold|penalty|discount|capacity|number|location|password|procedure|exception';
const DEGREES = 'default|maximum|minimum|usual|normal|current|exact|right|correct|overall|total|average';
const KINDS =
  'option|parameter|flag|switch|setting|argument|variable|attribute|property|field|key|command|function|method|class|' +
  'module|signal|file|error|warning|message|symbol|sign|button|menu|column';
const WORD = '[\\p{L}-]{2,40}';
const TAKES = 'take|last|cost|start|begin|end|open|close|happen|expire|work|run|apply|weigh|hold';

/** Questions whose only content is one noun with "the", one verb, or one option: of what, they do not say. */
const FORMS: readonly RegExp[] = [
  `what(?:'s| is| are| was| were) the (?:(?:${DEGREES}) )?((?:${ATTRIBUTES})s?)`,
  `(?:when|where|how (?:much|long|often|big|large|high|old|far))(?:'s| is| are| was| were) the (${WORD})`,
  `(?:when|where|how (?:much|long|often|many)) (?:do|does|did|will|must|can) the (${WORD}) (?:${TAKES})`,
  `(?:which|what) (${WORD}) (?:is|are|was|were|must be|can be|should be) \\p{L}{2,30}(?:ed|en|ad|t|n)`,
  `(?:what|how) (?:do|does|did|will) the ((?:${KINDS})s?) (?:do|mean|work|stand for|control|contain|say|show)`,
  `how (?:much|many) (${WORD}) (?:is|are) (?:needed|required|necessary|used|available|allowed|supported)`,
  `(?:which|what) (${WORD}) (?:do|should|must|can) (?:i|we|you) (?:need|use|choose|set)`,
  `(?:who|whom|what|where) (?:should|can|must|do|may) i (${WORD})(?: (?:to|with|for|at|in))?`,
  'what (?:does|do) (?:the )?(?:option )?(--?[\\p{L}\\p{N}][\\p{L}\\p{N}-]{0,30}) (?:do|mean)',
].map((form) => new RegExp(`^${form}$`, 'iu'));

/** Words that questions about anything are made of, in the singular. */
const GENERIC = stemsOf(
  `${ATTRIBUTES} ${DEGREES} ${KINDS} ${TAKES}`.replaceAll('|', ' '),
  'first second third fourth last next previous other another same one two both many few much more most less least',
  'big large small long short old new good better best bad worse worst fast faster slow slower easy hard important',
  'possible impossible allowed needed required necessary mandatory optional supported available responsible affected',
  'involved included valid invalid enabled disabled special safe wrong different missing usually normally really',
  'exactly automatically ever always immediately later before after together now then again back',
  'way thing step part section page chapter table row line item entry list example case place people person somebody',
  'code input output text data feature system program tool device directory folder problem issue mistake choice',
  'alternative side effect detail exit',
  'allow call do make read write use give return print send store keep save raise throw search process choose change',
  'find put pass need happen matter mean skip undo turn switch enable disable pick want try stop finish fail break',
  'install remove delete add edit update check tell know say look go come get see show create configure adjust',
  'increase decrease reset restart stay depend require support count set done made written given sent kept thrown',
  'chosen found on off up down in out',
);

function stemsOf(...lines: string[]): Set<string> {
  return contentStems(lines.join(' ').replace(/\p{L}+/gu, (word) => `${word} ${word}s ${word}ed`));
}

/** What the words of a question refer to is the history's to tell. */
const REFERS = /\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|hers)\b/i;

/** Generic words that a question may hold and say nothing: more of them say something together. */
const MOST_GENERIC = 3;
/** A number, an identifier, a quotation or a name is something to go by. */
const MARKED = /[\p{N}_/\\`"“$@-]|\s\p{L}?\p{Lu}\p{L}/u;

/** "How do I set a variable?", "What is input?" and "How do I exit?" are about all of a kind, "Is there a limit?" is not. */
const OF_A_KIND =
  /(?<!\bthere )\ban?\s|^\s*what(?:['’]s| is| are| does| do)\s(?!the\b|i\b|we\b|you\b)|^\s*how (?:do|can|should) \p{L}+ \p{L}+\W*$/iu;
/** What is of one thing or another; "How do I list files?" has none. */
const OF_SOMETHING = /\b(?:the|which|what|there|how (?:many|much|long|often|big|large|far|old))\b/i;

/** Whether no word of a question tells it from questions about anything else: "Which method is better?" */
export function saysNothing(query: string): boolean {
  if (query.length > MOST_CHARS) return false;
  if (REFERS.test(query) || MARKED.test(query) || OF_A_KIND.test(query)) return false;
  const [first] = query.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (first === undefined) return false;
  const asksIt = QUESTION_WORDS.has(first) || AUXILIARIES.has(first) || /[?？]\s*$/u.test(query);
  const stems = [...contentStems(query.replace(/['’]s\b/giu, ''))];
  if (!asksIt || stems.length > MOST_GENERIC || !stems.every((stem) => GENERIC.has(stem))) return false;
  return stems.length < 2 || OF_SOMETHING.test(query);
}

/**
 * A question that names an attribute and not what it is of: "What is the default?", "When is the meeting?", "What does
 * -p do?". Asked back with the places of the documents that speak of such a thing, where there are several that do not
 * say the same; where one place alone speaks of it, or one answer is sure, it is clear what is meant. Of an option that
 * has entries these are the places. What says nothing at all is asked back with what the nearest passages are about.
 */
export const underspecified: Layer = (input, settings) => {
  const asked = bareThing(input.query);
  if (asked === null) return saysNothing(input.query) ? aboutWhat(input) : null;
  // What the documents hardly speak of is not asked about.
  if (settings.coverage.on && coverage(input, settings) !== null) return null;
  const entries = input.entries ?? [];
  if (entries.length > MOST_ENTRIES) {
    const names = entries.slice(0, MOST).map(({ name }) => name);
    const message =
      `The documents explain ${quoted(asked)} in ${entries.length} places, and not alike. ` +
      `Which one is it about: ${list(names.map(quoted), 'or')}, or another?`;
    return asks('underspecified', 'UNDERSPECIFIED', message, { suggestions: names });
  }
  // What its entries say can be shown side by side.
  if (entries.length > 0) return null;
  const places = placesOf(input, asked);
  if (places.length < 2 || agree(input, places)) return null;
  const names = [...new Set(places.map(({ name }) => name))].slice(0, MOST);
  if (names.length < 2) return null;
  const message =
    `The documents speak of ${quoted(asked)} in more than one place. ` +
    `Which one is it about: ${list(names.map(quoted), 'or')}?`;
  return asks('underspecified', 'UNDERSPECIFIED', message, { suggestions: names });
};

/** Asks what a question is about that does not say it, with what the nearest passages are about. */
function aboutWhat(input: LayerInput): LayerOutcome | null {
  const places = placesOf(input, null);
  if ((input.history ?? []).length > 0 || agree(input, places) || isClear(places)) return null;
  const names = [...new Set(places.map(({ name }) => name))].slice(0, MOST);
  const offered =
    names.length === 0 ? '' : ` Is it about ${list(names.map(quoted), 'or')}, or something else?`;
  const message = `The question does not say what it is about.${offered}`;
  return asks('underspecified', 'UNDERSPECIFIED', message, { suggestions: names });
}

/** Whether one place answers, and no other nearly as well. */
function isClear(places: readonly Place[]): boolean {
  const relevances = places.map(({ passage }) => passage.scores.relevance ?? 0).sort((a, b) => b - a);
  const [first = 0, second = 0] = relevances;
  return first >= SURE && second < first / 2;
}

/** The noun, verb or option that is all that a question names; null where it names more. */
export function bareThing(query: string): string | null {
  if (query.length > MOST_CHARS) return null;
  const core = query
    .normalize('NFKC')
    .replaceAll('’', "'")
    .replace(/[\s\p{Cf}]+/gu, ' ')
    .replace(/^ ?(?:(?:and|so|but|please|hi|hello),? )*/i, '')
    .replace(/[\s?.!]+$/, '');
  for (const form of FORMS) {
    const thing = form.exec(core)?.[1];
    if (thing !== undefined) return thing;
  }
  return null;
}

interface Place {
  passage: Evidence;
  name: string;
}

/** Passages that name the thing, or any where it is null, the best of each section, called by the heading that tells them apart. */
function placesOf({ evidence }: LayerInput, asked: string | null): Place[] {
  const best = Math.max(0, ...evidence.map(({ scores }) => scores.relevance ?? 0));
  const stems = contentStems(asked ?? '');
  const option = asked?.startsWith('-') === true;
  const sections = new Set<string>();
  return evidence.slice(0, LOOKED_AT).flatMap((passage) => {
    const { title, text, scores } = passage;
    const whole = `${title}\n${text.slice(0, LONGEST)}`;
    const named = asked === null || (option ? ` ${whole} `.includes(`${asked} `) : holdsAll(stems, whole));
    const near = (scores.relevance ?? 0) >= SHARE * best;
    const name = calledIn(title);
    if (!named || !near || name === '' || sections.has(title)) return [];
    sections.add(title);
    return [{ passage, name }];
  });
}

/** The last two headings of a title; the header of a table is none. */
function calledIn(title: string): string {
  const headings = title.split(' > ').filter((heading) => !heading.includes(' | '));
  return oneLine(headings.slice(-2).join(' > '));
}

function holdsAll(stems: ReadonlySet<string>, text: string): boolean {
  const held = contentStems(text);
  return stems.size > 0 && [...stems].every((stem) => held.has(stem));
}

/** Whether the places give one answer, or one of them an answer that no other comes near to. */
function agree({ answers }: LayerInput, places: readonly Place[]): boolean {
  if (answers === null) return false;
  const own = places.flatMap(({ passage }) => answers.byPassage.get(passage.passageId) ?? []);
  const clusters = new Set(own.map(({ cluster }) => cluster));
  if (own.length === places.length && clusters.size === 1) return true;
  const [first, second] = [...own].sort((a, b) => b.score - a.score);
  if (first === undefined || first.score < SURE) return false;
  return (
    second === undefined ||
    own.every((each) => each.cluster === first.cluster || each.score < first.score / 2)
  );
}
