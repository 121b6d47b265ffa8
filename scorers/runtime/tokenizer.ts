/**
 * WordPiece as uncased BERT does it (Wu et al. 2016; longest match first), with UTF-16 offsets into the text as
 * it was given. Text never becomes a special token: `[SEP]` in a document is a bracket, three letters, a bracket.
 */
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { ALONE, ASCII_KIND, DROP, LETTER, MARK, normalise, SPACE } from './characters.ts';

/** The word pieces of a text: ids with the UTF-16 stretch each covers; `heads[i]` is 1 where a word begins. */
export interface Encoding {
  ids: number[];
  starts: number[];
  ends: number[];
  heads: number[];
}

/** What the engine needs of a tokenizer, whatever its kind. */
export interface TextTokenizer {
  /** Ids of the tokens that begin a sequence and that end each text. */
  readonly cls: number;
  readonly sep: number;
  /** What the offsets of a piece stand for: the piece itself, or the whole word that it is part of. */
  readonly offsets: 'pieces' | 'words';
  /** Word pieces of `text`, without special tokens. */
  encode(text: string): Encoding;
  /** Encodes each text; lets the event loop run meanwhile. Throws ABORTED. */
  encodeAll(texts: readonly string[], signal?: AbortSignal): Promise<Encoding[]>;
}

const MAX_WORD_CHARS = 100;
const WORD_CACHE = 65_536;
/** Characters after which a long text lets others have the event loop. */
const SLICE = 65_536;

/**
 * Encodes each text. Small work is done at once, so that calls of one tick stay together; large work is cut into slices
 * between which the event loop runs. `run` encodes words that begin before `until` and returns where it stopped.
 */
export async function encodeInSlices(
  texts: readonly string[],
  run: (text: string, from: number, until: number, out: Encoding) => number,
  signal?: AbortSignal,
): Promise<Encoding[]> {
  const all: Encoding[] = [];
  let left = SLICE;
  for (const text of texts) {
    const out: Encoding = { ids: [], starts: [], ends: [], heads: [] };
    let at = 0;
    while (at < text.length) {
      if (left <= 0) {
        await new Promise((resolve) => setImmediate(resolve));
        if (signal?.aborted) throw new PragauraError('ABORTED', 'the caller cancelled');
        left = SLICE;
      }
      const next = run(text, at, at + left, out);
      left -= next - at;
      at = next;
    }
    all.push(out);
  }
  return all;
}

const TokenizerFile = z.object({
  normalizer: z.object({ type: z.literal('BertNormalizer'), lowercase: z.literal(true) }),
  pre_tokenizer: z.object({ type: z.literal('BertPreTokenizer') }),
  model: z.object({
    unk_token: z.literal('[UNK]'),
    continuing_subword_prefix: z.literal('##'),
    max_input_chars_per_word: z.literal(MAX_WORD_CHARS),
    vocab: z.custom<Readonly<Record<string, number>>>(isVocabulary),
  }),
});

/** As a schema of its own this takes longer than all else that makes a tokenizer. */
function isVocabulary(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isId = (id: unknown) => Number.isInteger(id) && (id as number) >= 0 && (id as number) <= 65_535;
  return Object.values(value).every(isId);
}

/** Pieces of one word: ids, and the offset in the normalised word at which each ends. */
interface Word {
  ids: number[];
  ends: number[];
}

export class Tokenizer implements TextTokenizer {
  readonly cls: number;
  readonly sep: number;
  readonly offsets = 'pieces';
  readonly #unknown: number;
  readonly #first = new Map<string, number>();
  readonly #next = new Map<string, number>();
  readonly #longest: number;
  readonly #words = new Map<string, Word>();

  /** `file`: a parsed tokenizer.json of an uncased BERT; throws when it is of another kind. */
  constructor(file: unknown) {
    const { vocab } = TokenizerFile.parse(file).model;
    const special = (name: string): number => {
      const id = Object.hasOwn(vocab, name) ? vocab[name] : undefined;
      if (id === undefined) throw new Error(`the vocabulary lacks ${name}`);
      return id;
    };
    this.cls = special('[CLS]');
    this.sep = special('[SEP]');
    this.#unknown = special('[UNK]');
    let longest = 1;
    for (const piece of Object.keys(vocab)) {
      const id = vocab[piece]!;
      // A piece in brackets cannot come out of a text (brackets are split off): leave it out for good.
      if (/^\[.+\]$/.test(piece)) continue;
      const isNext = piece.startsWith('##') && piece.length > 2;
      const body = isNext ? piece.slice(2) : piece;
      (isNext ? this.#next : this.#first).set(body, id);
      longest = Math.max(longest, body.length);
    }
    this.#longest = longest;
  }

  /** Word pieces of `text`, without special tokens. Time is linear in its length. */
  encode(text: string): Encoding {
    const out: Encoding = { ids: [], starts: [], ends: [], heads: [] };
    this.#run(text, 0, text.length, out);
    return out;
  }

  encodeAll(texts: readonly string[], signal?: AbortSignal): Promise<Encoding[]> {
    return encodeInSlices(texts, (...part) => this.#run(...part), signal);
  }

  /** Encodes words that begin before `until`; returns where it stopped. */
  #run(text: string, from: number, until: number, out: Encoding): number {
    let at = from;
    while (at < text.length && at < until) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? ASCII_KIND[code]! : normalise(text.codePointAt(at)!).kind;
      if (kind === SPACE || kind === DROP) at += code >= 0xd800 && text.codePointAt(at)! > 0xffff ? 2 : 1;
      else if (kind === LETTER && code < 128) at = this.#plainWord(text, at, out);
      else if (code < 128) {
        this.#emit(text[at]!, out, at, at + 1);
        at += 1;
      } else at = this.#word(text, at, out);
    }
    return at;
  }

  /** A word of ASCII letters and digits; hands over to `#word` when something else is part of it. */
  #plainWord(text: string, from: number, out: Encoding): number {
    let at = from + 1;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code >= 128 || ASCII_KIND[code] === DROP) return this.#word(text, from, out);
      if (ASCII_KIND[code] !== LETTER) break;
      at += 1;
    }
    if (at - from > MAX_WORD_CHARS) push(out, this.#unknown, from, at, 1);
    else this.#emit(text.slice(from, at).toLowerCase(), out, from, at);
    return at;
  }

  /** The general case: characters that vanish, change or fall into several, with the place each came from. */
  #word(text: string, from: number, out: Encoding): number {
    let word = '';
    let count = 0;
    let begin = from;
    let end = from;
    let starts: number[] = [];
    let ends: number[] = [];
    const flush = (): void => {
      if (count > MAX_WORD_CHARS) push(out, this.#unknown, begin, end, 1);
      else if (count > 0) this.#emit(word, out, begin, end, starts, ends);
      word = '';
      count = 0;
      starts = [];
      ends = [];
    };
    let at = from;
    while (at < text.length) {
      const code = text.codePointAt(at)!;
      const width = code > 0xffff ? 2 : 1;
      const { kind, units } = normalise(code);
      if (kind === MARK && count > 0) {
        end = at + width;
        if (ends.length > 0) ends[ends.length - 1] = end;
      }
      // A space or a character that stands alone ends the word, unless the word begins with it.
      if (units.length > 0 && units[0]!.kind !== LETTER && at > from) break;
      for (const unit of units) {
        if (unit.kind !== LETTER) flush();
        if (unit.kind === ALONE) this.#emit(unit.text, out, at, at + width);
        if (unit.kind !== LETTER) continue;
        if (count === 0) begin = at;
        count += 1;
        end = at + width;
        if (count > MAX_WORD_CHARS) continue;
        word += unit.text;
        for (let i = 0; i < unit.text.length; i += 1) {
          starts.push(at);
          ends.push(end);
        }
      }
      at += width;
      if (units.length > 0 && units[0]!.kind !== LETTER) break;
    }
    flush();
    return at;
  }

  #emit(word: string, out: Encoding, begin: number, end: number, starts?: number[], ends?: number[]): void {
    const pieces = this.#pieces(word);
    let from = 0;
    for (let i = 0; i < pieces.ids.length; i += 1) {
      const to = pieces.ends[i]!;
      const isLast = i === pieces.ids.length - 1;
      const start = starts === undefined ? begin + from : starts[from]!;
      // A single character that normalises to several units keeps its whole stretch for each.
      const stop = isLast ? end : ends === undefined ? begin + to : ends[to - 1]!;
      push(out, pieces.ids[i]!, i === 0 ? begin : start, stop, i === 0 ? 1 : 0);
      from = to;
    }
  }

  #pieces(word: string): Word {
    const kept = this.#words.get(word);
    if (kept !== undefined) return kept;
    let result: Word = { ids: [], ends: [] };
    let from = 0;
    while (from < word.length) {
      const vocabulary = from === 0 ? this.#first : this.#next;
      let to = Math.min(word.length, from + this.#longest);
      let id: number | undefined;
      for (; to > from; to -= 1) {
        id = vocabulary.get(word.slice(from, to));
        if (id !== undefined) break;
      }
      if (id === undefined) {
        result = { ids: [this.#unknown], ends: [word.length] };
        break;
      }
      result.ids.push(id);
      result.ends.push(to);
      from = to;
    }
    if (this.#words.size >= WORD_CACHE) this.#words.clear();
    this.#words.set(word, result);
    return result;
  }
}

function push(out: Encoding, id: number, start: number, end: number, head: number): void {
  out.ids.push(id);
  out.starts.push(start);
  out.ends.push(end);
  out.heads.push(head);
}
