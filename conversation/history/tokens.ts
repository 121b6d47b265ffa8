/** A word with where it stands. `start`, `end`: UTF-16 offsets; `lower` has straight apostrophes and small letters. */
export interface Token {
  text: string;
  lower: string;
  start: number;
  end: number;
  /** Starts with a capital letter or holds a digit after one. */
  capital: boolean;
  /** The first word of its sentence. */
  opens: boolean;
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’.&/-][\p{L}\p{M}\p{N}]+)*/gu;

/** The words of a text, in order. Time is linear in the text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let last = 0;
  for (const match of text.matchAll(WORD)) {
    const start = match.index;
    const end = start + match[0].length;
    const between = text.slice(last, start);
    const initial = /^(?:\p{Lu}|[JS]r|St|Mr|Mrs|Ms|Dr)$/u.test(tokens.at(-1)?.text ?? '');
    tokens.push({
      text: match[0],
      lower: match[0].replaceAll('’', "'").toLowerCase(),
      start,
      end,
      capital: /^\p{Lu}/u.test(match[0]),
      opens: tokens.length === 0 || /[!?\n:;]/.test(between) || (/\./.test(between) && !initial),
    });
    last = end;
  }
  return tokens;
}

/** Without the possessive ending. */
export function withoutGenitive(word: string): string {
  return word.replace(/['’]s$/u, '').replace(/(?<=s)['’]$/u, '');
}

/** "Zappa's", "the Mothers of Invention's". */
export function genitive(name: string): string {
  return `${name}'s`;
}
