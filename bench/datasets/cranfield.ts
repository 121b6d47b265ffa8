import { readDataFile, unreadable } from './files.ts';
import type { DataQuery, Dataset } from './types.ts';

const DOCUMENTS = 'cranfield/cran.all.1400.xml.gz';
const QUERIES = 'cranfield/cran.qry.xml';
const JUDGMENTS = 'cranfield/cranqrel.graded.txt';

/**
 * Cranfield 1400. Judgments name a query by its position in the query file, not by its `num`. Their grades run
 * from 1 (best) to 4 (least), -1 meaning not relevant; gains are 5 - grade, so 4 is best and 1 least. Documents
 * 471 and 995 are empty and stay in the collection.
 */
export async function loadCranfield(dir: string): Promise<Dataset> {
  const [xml, topics, judgments] = await Promise.all(
    [DOCUMENTS, QUERIES, JUDGMENTS].map((file) => readDataFile(dir, file)),
  );
  const documents = elements(xml!, 'doc').map((doc) => ({
    docId: element(doc, 'docno', DOCUMENTS).trim(),
    title: oneLine(element(doc, 'title', DOCUMENTS)),
    text: element(doc, 'text', DOCUMENTS).trim(),
    source: DOCUMENTS,
  }));
  if (documents.length === 0) throw unreadable(DOCUMENTS, 'it holds no <doc>');
  const known = new Set(documents.map((doc) => doc.docId));
  const queries = elements(topics!, 'top').map((top, place) => ({
    id: String(place + 1),
    query: oneLine(element(top, 'title', QUERIES)),
    answers: [],
    relevant: [] as { docId: string; grade: number }[],
    group: String(place + 1),
  }));
  for (const [place, line] of judgments!.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [position, docId, grade] = line.trim().split(/\s+/);
    const query = queries[Number(position) - 1];
    if (query === undefined || !known.has(docId ?? '') || !/^(-1|[1-4])$/.test(grade ?? '')) {
      throw unreadable(
        `${JUDGMENTS}, line ${place + 1}`,
        `"${line.trim()}" fits no query, document and grade`,
      );
    }
    if (grade !== '-1') query.relevant.push({ docId: docId!, grade: 5 - Number(grade) });
  }
  return {
    name: 'cranfield',
    about: 'Cranfield 1400: abstracts; graded judgments, gain = 5 - grade (4 best to 1 least)',
    documents,
    queries: queries satisfies DataQuery[],
  };
}

function elements(xml: string, tag: string): string[] {
  return xml
    .split(`<${tag}>`)
    .slice(1)
    .map((part) => part.split(`</${tag}>`)[0]!);
}

function element(xml: string, tag: string, file: string): string {
  const [found] = elements(xml, tag);
  if (found === undefined) throw unreadable(file, `a record without <${tag}>`);
  return found;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
