import type { Block, Part } from '../types.ts';
import { lastAtMost } from './offsets.ts';

/** A stretch of the source that is shown as something else: of most marks as nothing. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** A text with edits made, and how offsets go from one to the other. */
export class Edited {
  readonly text: string;
  readonly #edits: readonly Edit[];
  /** Where each edit begins in the new text. */
  readonly #begins: number[] = [];
  readonly #before: Edited | null;

  /**
   * `edits`: in any order. Of what two take away the second takes the rest; what another covers is not made. `before`: what made
   * the source of another one, which offsets then lead back to.
   */
  constructor(source: string, edits: readonly Edit[], before: Edited | null = null) {
    this.#before = before;
    this.#edits = apart(edits);
    const parts: string[] = [];
    let at = 0;
    let length = 0;
    for (const { start, end, text } of this.#edits) {
      parts.push(source.slice(at, start), text);
      length += start - at;
      this.#begins.push(length);
      length += text.length;
      at = end;
    }
    parts.push(source.slice(at));
    this.text = parts.join('');
  }

  /** An offset into the source as one into the text; from within what was replaced, to its end. */
  to(offset: number): number {
    const place = lastAtMost(this.#edits.length, (i) => this.#edits[i]!.start, offset - 1);
    if (place === -1) return offset;
    const { end, text } = this.#edits[place]!;
    return this.#begins[place]! + text.length + Math.max(0, offset - end);
  }

  /** An offset into the text as one into the source; of what was put there, where that began. */
  from(offset: number): number {
    const own = this.#from(offset);
    return this.#before === null ? own : this.#before.from(own);
  }

  #from(offset: number): number {
    const place = lastAtMost(this.#edits.length, (i) => this.#begins[i]!, offset);
    if (place === -1) return offset;
    const { start, end, text } = this.#edits[place]!;
    const behind = offset - this.#begins[place]! - text.length;
    return behind < 0 ? start : end + behind;
  }

  block(block: Block): Block {
    const { start, end, header, entries } = block;
    return {
      ...block,
      start: this.to(start),
      end: this.to(end),
      ...(header && { header: { ...header, end: this.to(header.end) } }),
      ...(entries && { entries: entries.map((each) => this.block(each)) }),
    };
  }

  part(part: Part): Part {
    return { ...part, start: this.to(part.start), end: this.to(part.end) };
  }
}

function apart(edits: readonly Edit[]): Edit[] {
  const kept: Edit[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (edit.end <= at) continue;
    kept.push(edit.start < at ? { ...edit, start: at } : edit);
    at = edit.end;
  }
  return kept;
}
