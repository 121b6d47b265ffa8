/** What of an HTML page is not seen by who reads it: by attributes, styles, colours; comments; alternative text. */
import type { DefaultTreeAdapterMap } from 'parse5';
import type { HiddenKind } from '../../types.ts';
import { BLACK, type Colour, cssColour, sameColour, WHITE } from './colour.ts';
import { type Look, lookOf, StyleSheet } from './css.ts';
import { HiddenNotes } from './notes.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** Rules that hide a whole page hide it until a script has run. */
const WHOLE = new Set(['html', 'body']);

interface Ink {
  colour: Colour | 'transparent' | null;
  background: Colour | null;
}

const USUAL: Ink = { colour: BLACK, background: WHITE };

function attribute(node: Element, name: string): string | undefined {
  return node.attrs.find((attr) => attr.name === name)?.value;
}

/** What attributes of old say: bgcolor, text, font color and size. */
function oldLook(node: Element): Look {
  const background = cssColour(attribute(node, 'bgcolor') ?? '');
  const written = attribute(node, node.tagName === 'body' ? 'text' : 'color');
  return {
    ...(background !== null && background !== 'transparent' && { background }),
    ...(attribute(node, 'background') !== undefined && { background: null }),
    ...(written !== undefined && /^(?:font|body)$/.test(node.tagName) && { colour: cssColour(written) }),
  };
}

function positionOf(node: Node): string {
  const location = node.sourceCodeLocation;
  return location ? `${location.startLine}:${location.startCol}` : '1:1';
}

/** Text of a node that is not seen; all that is below it. Never recursive. */
function textOf(node: Node): string {
  const parts: string[] = [];
  const stack: Node[] = [node];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.nodeName === '#text' && 'value' in at) parts.push(at.value);
    if ('childNodes' in at) for (const child of at.childNodes.toReversed()) stack.push(child);
  }
  return parts.join(' ');
}

/** The style sheets that stand in a page. */
function sheetOf(root: Node): StyleSheet {
  const sheet = new StyleSheet();
  const stack: Node[] = [root];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.nodeName === 'style') sheet.add(textOf(at));
    else if ('childNodes' in at) for (const child of at.childNodes.toReversed()) stack.push(child);
  }
  return sheet;
}

/** Tells what is seen, node by node; parents have to be looked at before what is in them. */
export class Sight {
  readonly notes = new HiddenNotes();
  readonly #sheet: StyleSheet;
  readonly #inks = new Map<Node, Ink>();

  constructor(root: Node) {
    this.#sheet = sheetOf(root);
  }

  #inkOf(node: Node | null): Ink {
    return (node === null ? undefined : this.#inks.get(node)) ?? USUAL;
  }

  /** Whether an element and all that is in it is hidden; notes it, and its alternative text. */
  isHidden(node: Element): boolean {
    const classes = (attribute(node, 'class') ?? '').split(/\s+/).filter((name) => name !== '');
    const sheet = this.#sheet.lookOf(node.tagName, classes, attribute(node, 'id') ?? '');
    const { hidden: byRule, ...rest } = sheet;
    const own = lookOf(attribute(node, 'style') ?? '');
    const look: Look = { ...oldLook(node), ...rest, ...own };
    if (byRule !== undefined && !WHOLE.has(node.tagName)) look.hidden ??= byRule;
    const kind: HiddenKind | undefined =
      attribute(node, 'hidden') !== undefined ? 'not displayed' : look.hidden;
    if (kind !== undefined) {
      this.notes.add(kind, textOf(node), positionOf(node));
      return true;
    }
    for (const name of ['alt', 'title']) {
      const said = attribute(node, name);
      if (said !== undefined) this.notes.add('alternative text', said, positionOf(node));
    }
    const above = this.#inkOf(node.parentNode);
    const ink: Ink = {
      colour: look.colour === undefined ? above.colour : look.colour,
      background: look.background === undefined ? above.background : look.background,
    };
    this.#inks.set(node, ink);
    return false;
  }

  /** Whether text that stands in this node has the colour of what is behind it, or none. */
  isInkless(node: Node | null): boolean {
    const { colour, background } = this.#inkOf(node);
    if (colour === 'transparent') return true;
    return colour !== null && background !== null && sameColour(colour, background);
  }

  noteText(node: Node & { value: string }): void {
    this.notes.add('of the colour behind it', node.value, positionOf(node));
  }

  noteComment(node: Node): void {
    if ('data' in node && typeof node.data === 'string')
      this.notes.add('a comment', node.data, positionOf(node));
  }
}
