/** Passages with their structure, cut by the real readers. Tests only. */

import { extractHtml, type SourceDocument, splitDocument, textBlocks } from '../../../corpus/index.ts';
import { evidenceOf } from '../../evidence.ts';
import type { ScoredUnit } from '../excerpt.ts';
import { type Source, textOf, unitsOf } from '../units.ts';

/** The passages of an HTML page, `maxTokens` words each at most. */
export function sourcesIn(html: string, maxTokens = 220): Source[] {
  return cut(extractHtml(html), maxTokens);
}

/** The passages of a plain text. */
export function plainSources(text: string, maxTokens = 220): Source[] {
  return cut({ title: 'Notes', text, ...textBlocks(text) }, maxTokens);
}

function cut(read: Pick<SourceDocument, 'title' | 'text' | 'blocks' | 'parts'>, maxTokens: number): Source[] {
  const document = { ...read, docId: 'd', source: 'd.html', positionAt: () => '1:1' };
  const countTokens = (text: string) => text.match(/\S+/g)?.length ?? 0;
  return splitDocument(document, { maxTokens, countTokens }).map((passage) => ({
    evidence: evidenceOf(passage),
    parts: read.parts.filter(({ start, end }) => start < passage.end && end > passage.start),
  }));
}

/** All units of the passages; those that hold one of `good` are worth much, all others nothing. */
export function scoredIn(sources: readonly Source[], ...good: string[]): ScoredUnit[] {
  return sources
    .flatMap(unitsOf)
    .map((unit) => ({ ...unit, logit: good.some((words) => textOf(unit).includes(words)) ? 5 : -9 }));
}
