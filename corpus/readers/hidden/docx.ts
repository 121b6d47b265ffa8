/** Runs of a Word document that are not seen: hidden, of the colour behind them, or tiny. They are taken out of its XML. */
import { DOMParser, XMLSerializer } from '@xmldom/xmldom';
import JSZip from 'jszip';
import type { HiddenKind, HiddenTexts } from '../../types.ts';
import { BLACK, type Colour, hexColour, sameColour, WHITE } from './colour.ts';
import { HiddenNotes } from './notes.ts';

const STYLES = 'word/styles.xml';
/** Parts that are read as text. */
const TEXTS = /^word\/(?:document\d*|footnotes|endnotes)\.xml$/;
/** What has to stand in a part for anything in it to be hidden; most documents hold none of it. */
const SUSPECT = /w:(?:vanish|webHidden|specVanish|color|sz|bdo)\b/;
/** Letters of this size and less are not read, in half points. */
const TINY = 4;
/** Styles that are based on each other. */
const MAX_BASES = 20;

/** What properties of a run say; undefined where they say nothing. */
interface Ink {
  vanish?: boolean;
  colour?: Colour | null;
  size?: number;
  /** Highlight or shading; null: some that is not known. */
  behind?: Colour | null;
}

function child(node: Element | null, name: string): Element | null {
  if (node === null) return null;
  for (let at = node.firstChild; at !== null; at = at.nextSibling)
    if (at.nodeName === name) return at as Element;
  return null;
}

function settingOf(node: Element | null, name: string, attribute = 'w:val'): string | null {
  return child(node, name)?.getAttribute(attribute) || null;
}

/** A property that is there is on, unless it says otherwise. */
function isOn(node: Element | null, name: string): boolean | undefined {
  const found = child(node, name);
  if (found === null) return undefined;
  return !/^(?:0|false|off|none)$/i.test(found.getAttribute('w:val') ?? '');
}

/** The fill of a shading; undefined: none. */
function fillOf(properties: Element | null): Colour | null | undefined {
  const fill = settingOf(properties, 'w:shd', 'w:fill');
  return fill === null || fill === 'auto' ? undefined : hexColour(fill);
}

function inkOf(properties: Element | null): Ink {
  if (properties === null) return {};
  const vanish = isOn(properties, 'w:vanish') ?? isOn(properties, 'w:specVanish');
  const colour = settingOf(properties, 'w:color');
  const themed = child(properties, 'w:color')?.getAttribute('w:themeColor') ?? '';
  const size = Number(settingOf(properties, 'w:sz') ?? Number.NaN);
  const highlight = settingOf(properties, 'w:highlight');
  const behind =
    highlight === null || highlight === 'none' ? fillOf(properties) : highlight === 'white' ? WHITE : null;
  return {
    ...(vanish !== undefined && { vanish }),
    ...(colour !== null && { colour: colour === 'auto' ? null : hexColour(colour) }),
    ...(/^(?:background1|light1)$/.test(themed) && { colour: WHITE }),
    ...(Number.isFinite(size) && { size }),
    ...(behind !== undefined && { behind }),
  };
}

/** Properties by the id of a style, with those of the styles that it is based on. */
class Styles {
  readonly #elements = new Map<string, Element>();
  readonly #inks = new Map<string, Ink>();
  readonly usual: Ink;
  /** Whether any of them says something that could hide. */
  readonly hides: boolean;

  constructor(xml: string | null) {
    this.hides = xml !== null && SUSPECT.test(xml);
    const root = xml === null ? null : parsed(xml).documentElement;
    this.usual = inkOf(child(child(child(root, 'w:docDefaults'), 'w:rPrDefault'), 'w:rPr'));
    for (let at = root?.firstChild ?? null; at !== null; at = at.nextSibling) {
      if (at.nodeName !== 'w:style') continue;
      const style = at as Element;
      this.#elements.set(style.getAttribute('w:styleId') ?? '', style);
      if (style.getAttribute('w:type') === 'paragraph' && style.getAttribute('w:default') === '1')
        this.usual = { ...this.usual, ...inkOf(child(style, 'w:rPr')) };
    }
  }

  inkOf(id: string | null): Ink {
    if (id === null) return {};
    const known = this.#inks.get(id);
    if (known !== undefined) return known;
    const chain: Element[] = [];
    for (let at: string | null = id; at !== null && chain.length < MAX_BASES; ) {
      const style: Element | undefined = this.#elements.get(at);
      if (style === undefined) break;
      chain.unshift(style);
      at = settingOf(style, 'w:basedOn');
    }
    const ink: Ink = {};
    for (const style of chain) {
      const behind = fillOf(child(style, 'w:pPr'));
      Object.assign(ink, inkOf(child(style, 'w:rPr')), behind !== undefined && { behind });
    }
    this.#inks.set(id, ink);
    return ink;
  }

  /** Whether a style of a table, of which cells may have any colour behind them, is known. */
  has(id: string | null): boolean {
    return id !== null && this.#elements.has(id);
  }
}

function parsed(xml: string): Document {
  // What is broken is for the reader of the document to refuse.
  return new DOMParser({ onError: () => {}, errorHandler: () => {} } as never).parseFromString(
    xml,
    'text/xml',
  );
}

/** What lies behind a run: shading of its paragraph, its cell or table, else of the page. Null: not known. */
function behind(run: Element, styles: Styles, page: Colour): Colour | null {
  for (let at = run.parentNode; at !== null; at = at.parentNode) {
    const properties = { 'w:p': 'w:pPr', 'w:tc': 'w:tcPr', 'w:tbl': 'w:tblPr' }[at.nodeName];
    if (properties === undefined) continue;
    const own = child(at as Element, properties);
    const fill = fillOf(own);
    if (fill !== undefined) return fill;
    if (at.nodeName === 'w:tbl' && styles.has(settingOf(own, 'w:tblStyle'))) return null;
  }
  return page;
}

function hiddenBy(run: Element, styles: Styles, page: Colour): HiddenKind | null {
  const own = child(run, 'w:rPr');
  let paragraph = run.parentNode;
  while (paragraph !== null && paragraph.nodeName !== 'w:p') paragraph = paragraph.parentNode;
  const above = child(paragraph as Element | null, 'w:pPr');
  const ink: Ink = {
    ...styles.usual,
    ...styles.inkOf(settingOf(above, 'w:pStyle')),
    ...styles.inkOf(settingOf(own, 'w:rStyle')),
    ...inkOf(own),
  };
  if (ink.vanish) return 'not displayed';
  if (ink.size !== undefined && ink.size <= TINY) return 'too small to read';
  const back = ink.behind === undefined ? behind(run, styles, page) : ink.behind;
  const colour = ink.colour ?? (back !== null && sameColour(back, BLACK) ? WHITE : BLACK);
  return back !== null && sameColour(colour, back) ? 'of the colour behind it' : null;
}

function textOf(run: Element): string {
  return Array.from(run.getElementsByTagName('w:t'), (text) => text.textContent ?? '').join('');
}

/**
 * The document without runs that nobody sees, and what they say; the same bytes where there are none. Neighbouring runs of
 * a kind are one stretch. `bytes`: a ZIP whose unpacked size was looked at before.
 * @throws what reading a broken ZIP throws
 */
export async function seenDocx(
  bytes: Uint8Array,
): Promise<{ bytes: Uint8Array; hidden: HiddenTexts | undefined }> {
  const archive = await JSZip.loadAsync(bytes);
  const styles = new Styles((await archive.file(STYLES)?.async('string')) ?? null);
  const notes = new HiddenNotes();
  let changed = false;
  for (const name of Object.keys(archive.files)
    .filter((one) => TEXTS.test(one))
    .sort()) {
    const xml = await archive.file(name)!.async('string');
    if (!SUSPECT.test(xml) && !styles.hides) continue;
    const root = parsed(xml);
    const background = root.getElementsByTagName('w:background')[0]?.getAttribute('w:color') ?? '';
    const page = hexColour(background) ?? WHITE;
    const gone: { run: Element; kind: HiddenKind }[] = [];
    const runs = Array.from(root.getElementsByTagName('w:r'));
    runs.forEach((run) => {
      const kind = hiddenBy(run, styles, page);
      if (kind !== null) gone.push({ run, kind });
    });
    const said: { kind: HiddenKind; text: string; block: Node | null }[] = [];
    for (const { run, kind } of gone) {
      const text = textOf(run);
      if (text === '') continue;
      const last = said.at(-1);
      if (last?.kind === kind && last.block === run.parentNode) last.text += text;
      else said.push({ kind, text, block: run.parentNode });
      for (const each of Array.from(run.getElementsByTagName('w:t'))) each.textContent = '';
    }
    for (const { kind, text } of said) notes.add(kind, text, name.slice('word/'.length));
    if (said.length === 0) continue;
    changed = true;
    archive.file(name, new XMLSerializer().serializeToString(root));
  }
  if (!changed) return { bytes, hidden: undefined };
  return { bytes: await archive.generateAsync({ type: 'uint8array' }), hidden: notes.finish() };
}
