/** Small PDF and Word files, written byte by byte. Tests only. */
import { crc32 } from 'node:zlib';

export interface PdfLine {
  text: string;
  size?: number;
  /** From the bottom of the page. */
  y: number;
  /** Operators before it, such as "1 g" for white. */
  before?: string;
}

/** A PDF of these pages; with `encrypted`, one that wants a password. */
export function pdf(
  pages: readonly (readonly PdfLine[])[],
  options: { title?: string; encrypted?: boolean } = {},
): Buffer {
  const objects: string[] = [];
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ');
  objects.push('<< /Type /Catalog /Pages 2 0 R >>');
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  pages.forEach((lines, i) => {
    const shown = lines.map(
      ({ text, size = 12, y, before = '' }) =>
        `${before} BT /F1 ${size} Tf 1 0 0 1 50 ${y} Tm (${text}) Tj ET`,
    );
    const content = shown.join('\n');
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R >>`,
    );
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  const info =
    options.title === undefined ? '' : ` /Info ${objects.push(`<< /Title (${options.title}) >>`)} 0 R`;
  // A user key that no password leads to, the empty one included.
  const junk = `<${'41'.repeat(32)}>`;
  const encrypt = options.encrypted
    ? ` /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ${junk} /U ${junk} >> /ID [<00> <00>]`
    : '';
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = body.length;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${info}${encrypt} >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}

/** A ZIP of stored files. `claim` is the unpacked size that each entry pretends to have. */
export function zip(files: Readonly<Record<string, string>>, claim?: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt32LE(crc32(data), 10);
    fixed.writeUInt32LE(data.length, 14);
    fixed.writeUInt32LE(claim ?? data.length, 18);
    fixed.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fixed, Buffer.from(name), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fixed, tail, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06'), end]);
}

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org';

/** A Word document with this body (WordprocessingML), and styles. `claim`: what its parts pretend to unpack to. */
export function docx(body: string, claim?: number, styles?: string): Buffer {
  const named = {
    'word/styles.xml': `<w:styles xmlns:w="${OFFICE}/wordprocessingml/2006/main">${styles}</w:styles>`,
  };
  return zip(
    {
      '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
      '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
      'word/document.xml': `<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
      ...(styles !== undefined && named),
    },
    claim,
  );
}

/** A paragraph for `docx` of one run with these properties, such as "<w:vanish/>". */
export function run(text: string, properties = ''): string {
  return `<w:p><w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
}

/** A paragraph for `docx`, with a style such as "Heading1". */
export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}
