/** Files that show one text and hold another which their reader does not see, one for each format. */
import JSZip from 'jszip';

type Write = (shown: string, hidden: string) => Promise<Uint8Array | string>;

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

const html =
  (style: string): Write =>
  async (shown, hidden) =>
    `<!doctype html><p>${escaped(shown)}</p><p style="${style}">${escaped(hidden)}</p>`;

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

const docx =
  (properties: string): Write =>
  async (shown, hidden) => {
    const paragraph = (text: string, look = '') =>
      `<w:p><w:r><w:rPr>${look}</w:rPr><w:t>${escaped(text)}</w:t></w:r></w:p>`;
    const archive = new JSZip();
    archive.file(
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    );
    archive.file(
      '_rels/.rels',
      `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}" Target="word/document.xml"/></Relationships>`,
    );
    const body = paragraph(shown) + paragraph(hidden, properties);
    archive.file('word/document.xml', `<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`);
    return archive.generateAsync({ type: 'uint8array' });
  };

/** Characters of a line of a PDF. */
const LINE = 80;

/** Lines of a text as PDF shows them; what its font lacks is left out. */
function linesOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/[^\x20-\x7e]/g, '');
  return (plain.match(new RegExp(`.{1,${LINE}}(?:\\s|$)|.{${LINE}}`, 'g')) ?? []).map((line) =>
    line.trim().replace(/[\\()]/g, '\\$&'),
  );
}

const pdf =
  (operators: string): Write =>
  async (shown, hidden) => {
    const block = (text: string, from: number, before: string) =>
      linesOf(text).map((line, i) => `${before} BT /F1 11 Tf 50 ${from - 14 * i} Td (${line}) Tj ET`);
    const content = [...block(shown, 780, '0 g 0 Tr'), ...block(hidden, 120, operators)].join('\n');
    const objects = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ];
    let body = '%PDF-1.4\n';
    const offsets = objects.map((object, i) => {
      const at = body.length;
      body += `${i + 1} 0 obj\n${object}\nendobj\n`;
      return `${String(at).padStart(10, '0')} 00000 n \n`;
    });
    const table = `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}`;
    return Buffer.from(
      `${body}${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
      'latin1',
    );
  };

const markdown =
  (before: string, after: string): Write =>
  async (shown, hidden) =>
    `${shown.replace(/[<>`]/g, ' ')}\n\n${before}${hidden}${after}\n`;

function tags(text: string): string {
  return Array.from(text, (letter) => {
    const code = letter.charCodeAt(0);
    return code >= 0x20 && code < 0x7f ? String.fromCodePoint(0xe0000 + code) : '';
  }).join('');
}

/** Ways of hiding text by format; a row of the table goes through those of its format in turn. */
export const HIDING: Readonly<Record<'html' | 'docx' | 'pdf' | 'md' | 'txt', readonly Write[]>> = {
  html: [
    html('color:#ffffff'),
    html('display:none'),
    html('font-size:1px'),
    html('position:absolute;left:-5000px'),
    html('opacity:0'),
    async (shown, hidden) =>
      `<style>.note{visibility:hidden}</style><p>${escaped(shown)}</p><p class=note>${escaped(hidden)}</p>`,
    async (shown, hidden) => `<p>${escaped(shown)}</p><img src="a.png" alt="${escaped(hidden)}">`,
    async (shown, hidden) => `<p>${escaped(shown)}</p><!-- ${hidden.replaceAll('--', ' ')} -->`,
  ],
  docx: [docx('<w:vanish/>'), docx('<w:color w:val="FFFFFF"/>'), docx('<w:sz w:val="2"/>')],
  pdf: [pdf('3 Tr'), pdf('0 Tr 1 g'), pdf('0 Tr 0 0 0 0 k')],
  md: [
    markdown('<!-- ', ' -->'),
    markdown('<div style="display:none">', '</div>'),
    markdown('![', '](a.png)'),
    markdown('[//]: # (', ')'),
  ],
  txt: [async (shown, hidden) => `${shown} ${tags(hidden)}`],
};
