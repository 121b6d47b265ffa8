/**
 * SentencePiece's Unigram (Kudo 2018) as DeBERTa uses it, for models of a hub. The library finds the pieces; here texts
 * are cut into words, so that what comes out knows where it stood, and so that text never becomes a special token.
 */
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { z } from 'zod';
import { type Encoding, encodeInSlices, type TextTokenizer } from './tokenizer.ts';

/** Longer runs without white space are cut: finding the pieces takes more than linear time. */
const MAX_WORD_CHARS = 200;
const WORD_CACHE = 65_536;

const Metaspace = z.looseObject({
  type: z.literal('Metaspace'),
  prepend_scheme: z.enum(['always', 'first']).optional(),
});
const special = (id: string) => z.object({ SpecialToken: z.object({ id: z.literal(id) }) });
const text = (id: string) => z.object({ Sequence: z.object({ id: z.literal(id) }) });

const UnigramFile = z.looseObject({
  pre_tokenizer: z.union([
    Metaspace,
    z.object({ type: z.literal('Sequence'), pretokenizers: z.tuple([Metaspace]) }),
  ]),
  /** `[CLS] A [SEP] B [SEP]`, as sequences are laid here. */
  post_processor: z.looseObject({
    type: z.literal('TemplateProcessing'),
    pair: z.tuple([special('[CLS]'), text('A'), special('[SEP]'), text('B'), special('[SEP]')]),
  }),
  added_tokens: z.array(z.looseObject({ id: z.number().int(), content: z.string() })),
  model: z.looseObject({
    type: z.literal('Unigram'),
    unk_id: z.number().int().min(0),
    byte_fallback: z.literal(false).optional(),
    vocab: z.array(z.tuple([z.string(), z.number()])),
  }),
});

export class UnigramTokenizer implements TextTokenizer {
  readonly cls: number;
  readonly sep: number;
  readonly offsets = 'words';
  readonly #library: Library;
  readonly #words = new Map<string, readonly number[]>();

  /** `file`: a parsed tokenizer.json; throws when it lays sequences otherwise or falls back to bytes. */
  constructor(file: unknown) {
    const { added_tokens: added, model, ...others } = UnigramFile.parse(file);
    const id = (content: string): number => {
      const token = added.find((one) => one.content === content);
      if (token === undefined) throw new Error(`the vocabulary lacks ${content}`);
      return token.id;
    };
    this.cls = id('[CLS]');
    this.sep = id('[SEP]');
    // No text holds a space once spaces have become "▁": special tokens keep their ids and cannot be met.
    const isSpecial = new Set([model.unk_id, ...added.map((token) => token.id)]);
    const vocab = model.vocab.map(([piece, score], i) => [isSpecial.has(i) ? ` ${i} ` : piece, score]);
    this.#library = new Library({ ...others, added_tokens: [], model: { ...model, vocab } }, {});
  }

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
    // No further than MAX_WORD_CHARS, so that a long run is not looked through again for each of its cuts.
    const word = /\S{1,200}/gu;
    word.lastIndex = from;
    for (let at = from; at < until; ) {
      const found = word.exec(text);
      if (found === null) return text.length;
      if (found.index >= until) return found.index;
      const start = found.index;
      const end = start + cutOf(found[0]);
      for (const [i, id] of this.#pieces(text.slice(start, end)).entries()) {
        out.ids.push(id);
        out.starts.push(start);
        out.ends.push(end);
        out.heads.push(i === 0 ? 1 : 0);
      }
      at = end;
      word.lastIndex = end;
    }
    return Math.max(from, word.lastIndex);
  }

  #pieces(word: string): readonly number[] {
    const kept = this.#words.get(word);
    if (kept !== undefined) return kept;
    const { ids } = this.#library.encode(word, { add_special_tokens: false });
    if (this.#words.size >= WORD_CACHE) this.#words.clear();
    this.#words.set(word, ids);
    return ids;
  }
}

/** How much of a word is taken at once, never half of a surrogate pair. */
function cutOf(word: string): number {
  if (word.length <= MAX_WORD_CHARS) return word.length;
  return (word.codePointAt(MAX_WORD_CHARS - 1) ?? 0) > 0xffff ? MAX_WORD_CHARS - 1 : MAX_WORD_CHARS;
}
