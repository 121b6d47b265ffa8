import { list, oneLine, quoted } from '../../common/index.ts';
import { AUXILIARIES, contentStems, QUESTION_WORDS } from '../../conversation/index.ts';
import type { Evidence } from '../contracts.ts';
import { asks } from './found.ts';
import { ATTRIBUTES, DEGREES, GENERIC, KINDS, MARKED, REFERS, TAKES } from './generic-words.ts';
import { leavesOpen } from './openness.ts';
import { coverage } from './retrieved.ts';
import type { LayerSettings } from './settings.ts';
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

const WORD = '[\\p{L}-]{2,40}';
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

/** Generic words that a question may hold and say nothing: more of them say something together. */
const MOST_GENERIC = 3;
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

/**
 * What is asked back in the place of silence, where nothing answers surely because the question leaves open which of several
 * things it is about; null where it does not, or where the layer is off.
 */
export function askedInstead(
  input: LayerInput,
  { underspecified: { on } }: LayerSettings,
): LayerOutcome | null {
  return on && leavesOpen(input.query, input.evidence) ? aboutWhat(input) : null;
}

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
