/** From a query, whatever it holds, to a bounded list of tokens. */
import regexp from 'natural/lib/natural/tokenizers/regexp_tokenizer.js';

/** Characters looked at: the beginning, where the question word mostly stands, and the end, where it else does. */
const HEAD_CHARS = 1500;
const TAIL_CHARS = 500;
/** Tokens looked at, likewise. */
const HEAD_TOKENS = 64;
const TAIL_TOKENS = 32;
/** A longer word is cut: no word that tells an act is that long. */
const MAX_WORD = 24;

/** Zero-width, bidi, tag and soft-hyphen characters, variation selectors, lone surrogates: nothing a reader sees. */
const INVISIBLE = /(?:\p{Cf}|\p{Cs}|\p{Variation_Selector})+/gu;
const BLANK = /[\p{Cc}\s]+/gu;

/** Words, clitics ("'s"), digit groups, and the punctuation that tells something. Linear: no nested repeats. */
const tokenizer = new regexp.RegexpTokenizer({
  pattern: /\p{L}[\p{L}\p{M}]*|'\p{L}+|\p{N}+|[?.!,:;"@/-]/gu,
  gaps: false,
});

export interface QueryText {
  /** Lower-case tokens, digits as `#` by their number; at most 96. */
  tokens: string[];
  /** First visible character is an upper-case letter. */
  capital: boolean;
  /** No letter and no digit in it. */
  wordless: boolean;
  /** Has the form of a question, whatever ends it: a question word in front, or an auxiliary before its subject. */
  asks: boolean;
  /** Something was left out, or so much repeats that the words hardly tell what is asked. */
  degenerate: boolean;
}

/** Never throws; time is linear in the query's length, memory beyond that bounded. */
export function readQuery(query: string): QueryText {
  const visible = query.replace(INVISIBLE, '').replace(BLANK, ' ').trim();
  const long = visible.length > HEAD_CHARS + TAIL_CHARS;
  const kept = long ? `${visible.slice(0, HEAD_CHARS)} ${visible.slice(-TAIL_CHARS)}` : visible;
  const text = kept
    .normalize('NFKC')
    .replace(/[‘’ʼ`]/g, "'")
    .replace(/[“”«»]/g, '"');
  const all = tokenizer.tokenize(text.toLowerCase()) ?? [];
  const tokens = (
    all.length > HEAD_TOKENS + TAIL_TOKENS ? [...all.slice(0, HEAD_TOKENS), ...all.slice(-TAIL_TOKENS)] : all
  ).map(shorten);
  return {
    tokens,
    capital: /^[^\p{L}\p{N}]*\p{Lu}/u.test(text),
    wordless: !/[\p{L}\p{N}]/u.test(text),
    asks: asks(tokens),
    degenerate: all.length > HEAD_TOKENS + TAIL_TOKENS || repeats(tokens),
  };
}

const QUESTION_WORDS: ReadonlySet<string> = new Set('who whom whose what which why how'.split(' '));
const AUXILIARIES: ReadonlySet<string> = new Set(
  'am is are was were has have had do does did will would shall should can could may might must'.split(' '),
);
/** A wish or an order, though it opens with an auxiliary. */
const NO_QUESTION = /^(?:have an?|(?:do|did|does) not) /;
/** Shorter ones are as often courtesies: "how are you", "what's up". */
const LEAST_ASKING_WORDS = 5;

function asks(tokens: readonly string[]): boolean {
  if (tokens.filter((token) => /^[\p{L}#]/u.test(token)).length < LEAST_ASKING_WORDS) return false;
  if (QUESTION_WORDS.has(tokens[0]!)) return true;
  return tokens.some((token, i) => {
    const opens = i === 0 || /^[.,;:!?]$/.test(tokens[i - 1]!) || /^(?:when|where)$/.test(tokens[i - 1]!);
    if (opens && i > 0 && /^(?:what|why|how)$/.test(token)) return true;
    const next = tokens[i + 1];
    return opens && AUXILIARIES.has(token) && next !== undefined && !NO_QUESTION.test(`${token} ${next} `);
  });
}

function shorten(token: string): string {
  return /^\p{N}/u.test(token) ? '#'.repeat(Math.min(token.length, 5)) : token.slice(0, MAX_WORD);
}

/** At least ten tokens, and no more than three in five pairs of neighbours are new. */
function repeats(tokens: readonly string[]): boolean {
  if (tokens.length < 10) return false;
  const pairs = new Set<string>();
  for (let i = 1; i < tokens.length; i++) pairs.add(`${tokens[i - 1]} ${tokens[i]}`);
  return pairs.size <= 0.6 * (tokens.length - 1);
}
