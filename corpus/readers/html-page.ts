import type { DefaultTreeAdapterMap } from 'parse5';
import { Sight } from './hidden/html.ts';

export type Node = DefaultTreeAdapterMap['node'];
export type Element = DefaultTreeAdapterMap['element'];

const UNSEEN = new Set(
  'audio button canvas datalist dialog embed form iframe label map math nav noscript object script select style svg template textarea video'.split(
    ' ',
  ),
);
/** Roles of what leads around a site. */
const LEADING_ROLES = new Set(['navigation', 'contentinfo', 'search', 'doc-toc', 'doc-index']);
/** Classes and ids of the same, left out where a third of their text is links, or little is in them. */
const LEADING = new Set(
  'breadcrumb breadcrumbs docnav nav nav-panel navbar navfooter navheader navigation navpath pagination skip-link skiplink sphinxsidebar sphinxsidebarwrapper topnav bottomnav'.split(
    ' ',
  ),
);
/** Names that may mean the same or the page itself: left out where most of their text is links. */
const PERHAPS_LEADING = new Set(
  'banner bottom-nav contents contents_element footer footer-relations header index index-nav menu mini-toc node-header page-nav pager prev-next-area prev-next-footer related related-links related-pages related-topics relatedlinks relatedtopics sec_contents sec_shortcontents section-toc see-also seealso shortcontents sidebar site-footer site-header site-nav table-of-contents tableofcontents toc toc-container toctree toctree-wrapper top'.split(
    ' ',
  ),
);
/** What DocBook calls a letter of its index: names of things with links behind them. */
const INDEX_LETTER = 'indexdiv';
/** Names of a table of contents that a script fills: without it its title is left. */
const CONTENTS = new Set(['toc', 'toctitle']);
const FOOTERS = new Set(['footer', 'site-footer', 'page-footer']);
/** Marks that link a heading to itself. */
const ANCHORS = new Set(['¶', '#', '§', '🔗', '\u{f0c1}', '∞']);
/** Words that a line of links to other pages has beside the links. */
const LABELS = new Set(
  'and back bottom chapter contents first forward home index last next of page prev previous section start table the to top up'.split(
    ' ',
  ),
);
const DIRECTIONS = new Set([
  'next',
  'prev',
  'previous',
  'up',
  'top',
  'home',
  'back',
  'contents',
  'index',
  'forward',
]);
const LINES = new Set(['p', 'div', 'center', 'table', 'ul', 'ol']);
const SECTIONS = new Set(['article', 'aside', 'blockquote', 'figure', 'main', 'section', 'td', 'li', 'dd']);
const FLOW = new Set('blockquote details div dl figure ol p pre section table ul'.split(' '));

const MAX_LINE = 500;
const MAX_LINE_NODES = 150;
const MAX_FOOTER = 1200;
const MAX_CONTENTS = 24;
const MIN_LINKS = 3;
const MIN_INDEX_ROWS = 10;
/** This share of links makes a list one of links, leaves room for numbers and marks beside them. */
const ALL = 0.9;
const MOST = 0.6;
const MANY = 0.33;

export function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

export function children(node: Node): Node[] {
  return 'childNodes' in node ? node.childNodes : [];
}

/** All text below a node. */
export function textBelow(node: Node): string {
  const parts: string[] = [];
  const stack: Node[] = [node];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if ('value' in at) parts.push(at.value);
    for (const child of children(at).toReversed()) stack.push(child);
  }
  return parts.join('');
}

function attribute(node: Element, name: string): string {
  return node.attrs.find((attr) => attr.name === name)?.value ?? '';
}

function namesOf(node: Element): string[] {
  return `${attribute(node, 'class')} ${attribute(node, 'id')}`.toLowerCase().split(/\s+/);
}

/** Whether a link leads to a place on this page or to a page beside it. */
function isLocalLink(node: Element): boolean {
  if (node.tagName !== 'a') return false;
  const href = attribute(node, 'href').trim();
  return href !== '' && !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(href);
}

/** Whether an element has navigation or a field to search in. */
function leadsAround(element: Element): boolean {
  const stack: Node[] = [element];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (isElement(at) && (at.tagName === 'nav' || at.tagName === 'input')) return true;
    stack.push(...children(at));
  }
  return false;
}

/** What an element holds; characters are counted without white space, and what nobody sees is not. */
interface Facts {
  text: number;
  /** Of it in links, and in links to this page and those beside it. */
  linked: number;
  local: number;
  links: number;
  nodes: number;
  /** h1 to h6. */
  headings: number;
  /** h1 and h2. */
  large: number;
  flow: number;
  /** Of a table, or up to the next one. */
  rows: number;
  cells: number;
  named: number;
  tables: number;
  /** What stands before it under the same parent. */
  before: Node | null;
}

function emptyFacts(before: Node | null): Facts {
  return {
    text: 0,
    linked: 0,
    local: 0,
    links: 0,
    nodes: 1,
    headings: 0,
    large: 0,
    flow: 0,
    rows: 0,
    cells: 0,
    named: 0,
    tables: 0,
    before,
  };
}

function solid(text: string): number {
  return text.replace(/\s+/g, '').length;
}

/** The words and marks of a text that no link holds, of a small element. */
function besideLinks(node: Element): string {
  const parts: string[] = [];
  const stack: Node[] = [node];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.nodeName === '#text' && 'value' in at) parts.push(at.value);
    if (isElement(at) && at.tagName === 'a') parts.push(' ');
    else for (const child of children(at).toReversed()) stack.push(child);
  }
  return parts.join('');
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a link says by its words or marks that it is one around a site. */
function isDirection(node: Element): boolean {
  const rel = words(attribute(node, 'rel'));
  if (rel.some((word) => DIRECTIONS.has(word))) return true;
  const [first, second] = words(textBelow(node));
  return first !== undefined && DIRECTIONS.has(first) && (second === undefined || LABELS.has(second));
}

/** Whether the words before a list say that it is what they speak of, and not where to read on. */
function isAnnounced(before: Node | null): boolean {
  if (before === null) return false;
  const text = ('value' in before ? before.value : textBelow(before)).trim().slice(-200);
  return /[:：]$/u.test(text) && !/\b(?:contents|pages|see|topics|chapters|sections)\b/i.test(text);
}

/** The links in a small element. */
function* linksIn(node: Element): Generator<Element> {
  const stack: Node[] = [node];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (isElement(at) && at.tagName === 'a') yield at;
    for (const child of children(at)) stack.push(child);
  }
}

/** Characters that a page has beside its lists of links at least, and in them at least, to be an index of them. */
const MIN_TEXT = 80;
const MIN_LISTED = 600;

/** What of a page is its text, and what leads around it. Looks at every node once, never recursive. */
export class Page {
  readonly sight: Sight;
  readonly #facts = new Map<Node, Facts>();
  /** Characters of lists of links that were left out so far. */
  #listed = 0;

  constructor(root: Node) {
    this.sight = new Sight(root);
    this.#facts.set(root, emptyFacts(null));
    const stack: { node: Node; leaving: boolean }[] = [{ node: root, leaving: false }];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const { node, leaving } = at;
      if (leaving) this.#sum(node);
      else {
        stack.push({ node, leaving: true });
        let before: Node | null = null;
        const below = children(node);
        for (const child of below) {
          if (child.nodeName === '#comment') this.sight.noteComment(child);
          if (isElement(child) && !this.#isUnseen(child)) this.#facts.set(child, emptyFacts(before));
          if (isElement(child) || ('value' in child && child.value.trim() !== '')) before = child;
        }
        for (const child of below) if (this.#facts.has(child)) stack.push({ node: child, leaving: false });
      }
    }
  }

  #sum(node: Node): void {
    const facts = this.#facts.get(node)!;
    const inkless = this.sight.isInkless(node);
    for (const child of children(node)) {
      if (child.nodeName === '#text' && 'value' in child && !inkless) facts.text += solid(child.value);
      const below = this.#facts.get(child);
      if (below === undefined) continue;
      const { tagName: tag } = child as Element;
      facts.text += below.text;
      facts.linked += below.linked;
      facts.local += below.local;
      facts.links += below.links;
      facts.nodes += below.nodes;
      facts.headings += below.headings + (/^h[1-6]$/.test(tag) ? 1 : 0);
      facts.large += below.large + (/^h[12]$/.test(tag) ? 1 : 0);
      facts.flow += below.flow + (FLOW.has(tag) ? 1 : 0);
      if (tag === 'table') facts.tables += 1;
      else {
        facts.tables += below.tables;
        facts.rows += below.rows + (tag === 'tr' ? 1 : 0);
        facts.cells += below.cells + (tag === 'td' || tag === 'th' ? 1 : 0);
        facts.named += below.named + (tag === 'th' ? 1 : 0);
      }
    }
    if (isElement(node) && node.tagName === 'a' && attribute(node, 'href') !== '') {
      facts.linked = facts.text;
      facts.local = isLocalLink(node) ? facts.text : 0;
      facts.links = 1;
    }
  }

  #isUnseen(node: Element): boolean {
    return UNSEEN.has(node.tagName) || this.sight.isHidden(node);
  }

  /** Whether it is no text of the page: unseen, navigation, a header or footer of the site, a table of contents. */
  isLeftOut(node: Element): boolean {
    const facts = this.#facts.get(node);
    if (facts === undefined) return true;
    const { text, links } = facts;
    if (text === 0) return false;
    if (LEADING_ROLES.has(attribute(node, 'role').toLowerCase())) return true;
    const names = namesOf(node);
    if (this.#isMargin(node, facts, names)) return true;
    if (this.#isNamedLeading(facts, names)) return true;
    if (node.tagName === 'a') return text <= 2 && ANCHORS.has(textBelow(node).trim());
    if (links === 0) return false;
    if (this.#isLine(node, facts)) return true;
    if (!this.#isLinkList(node, facts)) return false;
    this.#listed += facts.local;
    return true;
  }

  /** Whether a page of which so much text was kept is nothing but an index or a table of contents. */
  isIndex(kept: string): boolean {
    return this.#listed >= MIN_LISTED && solid(kept) < MIN_TEXT;
  }

  #isNamedLeading({ text, linked, links, local }: Facts, names: readonly string[]): boolean {
    if (links === 0) return text <= MAX_CONTENTS && names.some((name) => CONTENTS.has(name));
    const share = linked / text;
    if (names.includes(INDEX_LETTER)) return true;
    if ((share >= MANY || text <= MAX_LINE) && names.some((name) => LEADING.has(name))) return true;
    if (share < MOST || !names.some((name) => PERHAPS_LEADING.has(name))) return false;
    this.#listed += local;
    return true;
  }

  /** The header, footer or side of a page, not of an article in it. */
  #isMargin(node: Element, { text, headings, links, large }: Facts, names: readonly string[]): boolean {
    const footer = node.tagName === 'footer' || names.some((name) => FOOTERS.has(name));
    const header = node.tagName === 'header' && headings === 0 && links > 0;
    const side = node.tagName === 'aside' && headings === 0 && leadsAround(node);
    if ((!footer && !header && !side) || text > MAX_FOOTER || large > 0) return false;
    for (let at = node.parentNode; at !== null && isElement(at); at = at.parentNode) {
      if (SECTIONS.has(at.tagName)) return false;
    }
    return true;
  }

  /** "Next: …, Previous: …, Up: …", or a line of nothing but links. */
  #isLine(node: Element, { text, links, nodes, flow, before }: Facts): boolean {
    if (!LINES.has(node.tagName) || text > MAX_LINE || nodes > MAX_LINE_NODES) return false;
    const rest = besideLinks(node);
    const beside = words(rest);
    if (!beside.every((word) => LABELS.has(word))) return false;
    if (beside.some((word) => DIRECTIONS.has(word))) return true;
    const found = [...linksIn(node)];
    if (found.some(isDirection)) return true;
    if (node.tagName === 'p' && links === 1) return attribute(found[0]!, 'href').startsWith('#_Toc');
    const bare = flow === 0 && links > 1 && beside.length === 0 && !/[,;，、]/u.test(rest);
    return bare && (node.tagName === 'p' || node.tagName === 'div') && !isAnnounced(before);
  }

  /** A list or table of links to this page and those beside it, unless the words before it announce it as an answer. */
  #isLinkList(node: Element, { text, local, links, before }: Facts): boolean {
    const { tagName: tag } = node;
    const list = tag === 'ul' || tag === 'ol' || tag === 'menu' || tag === 'dl';
    if (!list && tag !== 'table') return false;
    if (links < (list ? MIN_LINKS : MIN_INDEX_ROWS) || local < text * (list ? ALL : MOST)) return false;
    const announcement = before === null ? '' : textBelow(before).trim().slice(-200);
    return (
      !/[:：]$/u.test(announcement) ||
      /\b(?:contents|pages|see|topics|chapters|sections)\b/i.test(announcement)
    );
  }

  /** Whether a table or list only arranges the page: what is in it is taken as if it stood in no table or list. */
  isLayout(node: Element): boolean {
    const facts = this.#facts.get(node);
    if (facts === undefined) return false;
    const { rows, cells, named, flow, headings, large, tables } = facts;
    if (node.tagName === 'ul' || node.tagName === 'menu') return headings > 0;
    if (node.tagName === 'dl') return large > 0;
    if (node.tagName !== 'table') return false;
    const role = attribute(node, 'role').toLowerCase();
    if (role === 'presentation' || role === 'none' || headings > 0) return true;
    return named === 0 && (tables > 0 || cells <= 1 || (flow > 0 && (rows <= 1 || cells <= rows)));
  }
}
