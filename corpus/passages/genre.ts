import { GENRES, type Genre } from '../../profiles/index.ts';
import type { Block } from '../types.ts';

const NUMBERED_LINE = /^[ \t>]*(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|step\s+\d+\b)/gim;
const BULLET_LINE = /^[ \t>]*[-*+•‣▪–][ \t]+\S/gm;
const SEQUENCE = /\b(?:first(?:ly)?|secondly|then|next|after that|afterwards|finally|lastly)\b,?/gi;
const INSTRUCTION =
  /(?:^|[.!?:]\s+|^[ \t]*(?:[-*+•]|\d{1,3}[.)])\s+)(?:(?:first|then|next|finally),?\s+)?(?:add|apply|attach|bring|choose|click|close|connect|copy|create|cut|delete|download|enter|fill|follow|go to|hold|insert|install|make sure|mix|move|open|place|pour|press|pull|push|put|remove|repeat|replace|run|save|select|set|start|stir|stop|switch|take|tap|turn|type|unplug|use|wait|wash|write)\b/gim;

// What is defined: a few words without a comma, a further name in brackets allowed. "In 1990 there was a …",
// "It is a …" and the like say something about a thing that was named before.
const SUBJECT = String.raw`^[\s*_>#-]*(?!(?:it|he|she|they|this|that|these|those|there|here|i|we|you|who|what|which|one|another|in|on|at|by|for|from|with|during|after|before|since|until|as|when|while|where|if|although|though|because|but|and|so|also|however)\b)["“*_]*[\p{L}\p{N}][^.!?:;,()\n]{0,70}?(?:\s*\([^()\n]{0,160}\))?,?\s+`;
// "A mutex is a …", "Photosynthesis is the process …", "Osmosis (…) refers to …"
const DEFINITION = new RegExp(
  String.raw`${SUBJECT}(?:(?:is|are|was|were)\s+(?:an?|the|any|one\s+of|defined\s+as|a\s+kind\s+of|known\s+as)|means|denotes|refers\s+to|stands\s+for|is\s+called)\s`,
  'iu',
);
const GLOSSARY =
  /^[\s*_-]*\*{0,2}[\p{L}][\p{L}\p{N}\s()'’/-]{0,60}\*{0,2}\s*(?::|—|–|\s-)\s+(?:an?|the|any|to)\s/iu;
const NUMBER =
  /(?:[$€£¥]\s?)?\d[\d,.]*\s?(?:%|percent|per cent|million|billion|thousand|°[cf]?|[kmc]?m\b|km\/h|kg\b|mi\b|ft\b)?/giu;
const CAUSE =
  /\b(?:because|due to|owing to|as a result|resulted? (?:in|from)|resulting (?:in|from)|caus(?:e|es|ed|ing)\b|led to|leads? to|leading to|therefore|thus|hence|consequently|so that|in order to|thanks to|the reason|reasons? (?:for|why)|attributed to|stems? from|which is why)\b/gi;
const OPINION =
  /\b(?:I|we) (?:think|believe|feel|recommend|prefer|suggest|find)\b|\bin (?:my|our) (?:view|opinion|experience)\b|\b(?:argu(?:e|es|ed)|claim(?:s|ed)?|critici[sz]ed?|critics|prais(?:e|ed)|opinion|controversial|should|ought to|arguably|unfortunately|fortunately|best|worst|better|overrated|underrated|favou?rite|disappointing|excellent|terrible)\b/gi;

function count(pattern: RegExp, text: string): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}

/** Enough to tell the genre of a passage by, also of one without a space in it. */
const LOOK_AT = 4000;

/**
 * What kind of text a passage is, by rules that look at form first and at cue words then. The first that fits:
 * - `table`: most of it is a table.
 * - `steps`: two numbered lines, "step n", a list of three items, or two instructions and two words of sequence
 *   ("first … then … finally").
 * - `definition`: begins with "X is a …", "X means …", "X: a …".
 * - `numbers`: at least four numbers, and one word in eight is one.
 * - `causal`: two causal cues, or one in a text of at most sixty words.
 * - `opinion`: two cues of judgement, or one in a text of at most forty words.
 * - `narrative`: everything else.
 */
export function genreOf(text: string, kind: Block['kind']): Genre {
  if (kind === 'table') return 'table';
  const head = text.slice(0, LOOK_AT);
  const words = Math.max(1, count(/[\p{L}\p{N}]+(?:['’.,-][\p{L}\p{N}]+)*/gu, head));
  if (kind !== 'code') {
    if (count(NUMBERED_LINE, head) >= 2 || count(BULLET_LINE, head) >= 3) return 'steps';
    if (count(INSTRUCTION, head) >= 2 && (kind === 'list' || count(SEQUENCE, head) >= 2)) return 'steps';
  }
  if (DEFINITION.test(head) || GLOSSARY.test(head)) return 'definition';
  const numbers = count(NUMBER, head);
  if (numbers >= 4 && numbers * 8 >= words) return 'numbers';
  const causes = count(CAUSE, head);
  if (causes >= 2 || (causes === 1 && words <= 60)) return 'causal';
  const opinions = count(OPINION, head);
  if (opinions >= 2 || (opinions === 1 && words <= 40)) return 'opinion';
  return 'narrative';
}

export function countGenres(genres: Iterable<Genre>): Record<Genre, number> {
  const counts = Object.fromEntries(GENRES.map((genre) => [genre, 0])) as Record<Genre, number>;
  for (const genre of genres) counts[genre] += 1;
  return counts;
}
