import { createRequire } from 'node:module';
import type { TaggedWord, Tagger } from './types.ts';

/** No question is longer, and the tagger's time grows faster than its text. */
const MOST_CHARS = 400;

/** What we use of compromise's parse; `text` is empty for the second half of a contraction. */
interface Term {
  pre: string;
  text: string;
  post: string;
  tags: Iterable<string>;
}
type Compromise = (text: string) => { docs: readonly (readonly Term[])[] };

/** Texts whose words are remembered: those of the queries under way. */
const REMEMBERED = 64;

let tagger: Tagger | undefined;

/**
 * The English tagger (compromise, part two: tags without grammar). Loading takes some 0.4 s of processor time and
 * 40 MB, once a process, so it is left to the first call: make that while the models load. The package's single-file
 * build loads in two thirds of the time of its sources. The last texts are remembered: tagging takes 2 ms, and may so be
 * done while something else is waited for.
 */
export function openTagger(): Tagger {
  tagger ??= remembering(taggerOf(createRequire(import.meta.url)('compromise/two') as Compromise));
  return tagger;
}

function remembering(tag: Tagger): Tagger {
  const known = new Map<string, readonly TaggedWord[]>();
  return (text) => {
    const start = beginning(text);
    const words = known.get(start) ?? tag(start);
    known.set(start, words);
    if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
    return words;
  };
}

function taggerOf(nlp: Compromise): Tagger {
  return (text) => {
    const words: TaggedWord[] = [];
    let at = 0;
    for (const sentence of nlp(text).docs) {
      for (const { pre, text: word, post, tags } of sentence) {
        const start = at + pre.length;
        const end = start + word.length;
        at = end + post.length;
        // Whatever the library does to odd text, an offset that does not hold is not handed on.
        if (word !== '' && text.slice(start, end) === word) {
          words.push({ text: word, start, end, tags: new Set(tags) });
        }
      }
    }
    return words;
  };
}

function beginning(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  const start = text.slice(0, MOST_CHARS);
  const space = start.lastIndexOf(' ');
  return space <= 0 ? start : start.slice(0, space);
}
