import { plainLine } from '../../common/index.ts';
import type { Section } from './sections.ts';

/** A figure that is drawn. */
export interface Drawn {
  name: string;
  title: string;
  caption: string;
  svg: string;
}

/** Everything of it for a page: text, tables and drawings. */
export interface Page {
  title: string;
  headline: string;
  remarks: readonly string[];
  sections: readonly Section[];
  figures: readonly Drawn[];
  /** Name and value: hashes and settings, at the end. */
  facts: readonly (readonly [string, string])[];
  /** Begins with a list of the sections; left out: without. */
  contents?: boolean;
}

/**
 * One file that needs nothing else: no network, no script; light, narrow enough for a phone, fit for print. The
 * policy in its head forbids whatever is not in it. Every text is escaped, the drawings are our own.
 */
export function htmlOf({
  title,
  headline,
  remarks,
  sections,
  figures,
  facts,
  contents = false,
}: Page): string {
  const figure = new Map(figures.map((drawn) => [drawn.name, drawn]));
  const body = [
    `<h1>${escaped(title)}</h1>`,
    `<p class="lead">${escaped(headline)}</p>`,
    remarks.length === 0
      ? ''
      : `<ul class="remarks">${remarks.map((remark) => `<li>${escaped(remark)}</li>`).join('')}</ul>`,
    contents ? contentsOf(sections) : '',
    ...sections.map((section, place) =>
      sectionOf(
        section,
        section.figures.flatMap((name) => figure.get(name) ?? []),
        contents ? anchorOf(place) : null,
      ),
    ),
    `<section><h2>Made from</h2><dl>${facts.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl></section>`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`;
}

const anchorOf = (place: number): string => `section-${place + 1}`;

function contentsOf(sections: readonly Section[]): string {
  const entries = sections.flatMap(({ title, level = 2 }, place) =>
    title === null || level !== 2 ? [] : [`<li><a href="#${anchorOf(place)}">${escaped(title)}</a></li>`],
  );
  return `<nav aria-label="Contents"><ul>${entries.join('')}</ul></nav>`;
}

function sectionOf(
  { title, level = 2, text, table, notes }: Section,
  figures: readonly Drawn[],
  anchor: string | null,
): string {
  const id = anchor === null ? '' : ` id="${anchor}"`;
  return [
    '<section>',
    title === null ? '' : `<h${level}${id}>${escaped(title)}</h${level}>`,
    ...text.map((line) => `<p>${escaped(line)}</p>`),
    table === null ? '' : tableOf(table),
    ...notes.map((line) => `<p class="note">${escaped(line)}</p>`),
    figures.length === 0 ? '' : `<div class="figures">${figures.map(figureOf).join('\n')}</div>`,
    '</section>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function tableOf({ caption, words = false, head, rows }: NonNullable<Section['table']>): string {
  const cells = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? `<th scope="row">${escaped(cell)}</th>` : `<td>${escaped(cell)}</td>`,
      )
      .join('');
  const open = `<table${words ? ' class="words"' : ''}>${caption === undefined ? '' : `<caption>${escaped(caption)}</caption>`}`;
  return `<div class="scroll" tabindex="0">${open}<thead><tr>${head.map((cell) => (cell === '' ? '<td></td>' : `<th scope="col">${escaped(cell)}</th>`)).join('')}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table></div>`;
}

function figureOf({ title, caption, svg, name }: Drawn): string {
  const labelled = svg.replace(
    /<svg ([^>]*)>/,
    (_, attributes: string) =>
      `<svg role="img" aria-labelledby="${escaped(name)}-title" ${attributes}><title>${escaped(title)}</title>`,
  );
  return `<figure><h3 id="${escaped(name)}-title">${escaped(title)}</h3>${labelled}<figcaption>${escaped(caption)}</figcaption></figure>`;
}

/** Text as it stands between tags or in a quoted attribute, on one line, control characters made visible. */
function escaped(text: string): string {
  return plainLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
*{box-sizing:border-box}
body{margin:0;background:#fff;color:#1a1a1a;font:16px/1.5 system-ui,sans-serif}
main{max-width:68rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;margin:.5rem 0}
h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid #bbb}
h3{font-size:1rem;margin:0 0 .25rem}
p{margin:.4rem 0}
.lead{font-size:1.05rem}
.remarks{border-left:4px solid #b35900;margin:.75rem 0;padding:.5rem .75rem .5rem 2rem;background:#fff6ec}
.note,figcaption{color:#444;font-size:.875rem}
.scroll{overflow-x:auto;margin:.5rem 0}
caption{text-align:left;font-weight:600;padding:.25rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}
thead th{border-bottom:2px solid #555;vertical-align:bottom}
th:first-child{text-align:left;font-weight:600}
.words th,.words td{text-align:left;white-space:normal;vertical-align:top;min-width:5rem}
nav ul{columns:2;font-size:.875rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1.25rem;margin-top:1rem}
figure{margin:0;break-inside:avoid}
svg{display:block;width:100%;max-width:34rem;height:auto}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.875rem;margin:.5rem 0}
dt{color:#444}
dd{margin:0;overflow-wrap:anywhere}
@media(max-width:40rem){th,td{padding:.25rem .4rem}th:first-child{white-space:normal;min-width:6.5rem}}
@media(max-width:30rem){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}
@media print{main{max-width:none;padding:0}.scroll{overflow:visible}table{font-size:.65rem}th,td{padding:.1rem .3rem;white-space:normal}h2{break-after:avoid}}
`;
