/** Words and marks by which a question says, or does not say, which thing it is about. English. */
import { contentStems } from '../../conversation/index.ts';

export const ATTRIBUTES =
  'default|limit|maximum|minimum|price|cost|fee|size|length|duration|name|address|deadline|value|format|syntax|version|' +
  'option|argument|parameter|requirement|purpose|reason|date|time|rate|status|type|order|range|unit|result|' +
  'difference|interval|timeout|threshold|penalty|discount|capacity|number|location|password|procedure|exception';
export const DEGREES =
  'default|maximum|minimum|usual|normal|current|exact|right|correct|overall|total|average';
export const KINDS =
  'option|parameter|flag|switch|setting|argument|variable|attribute|property|field|key|command|function|method|class|' +
  'module|signal|file|error|warning|message|symbol|sign|button|menu|column';
export const TAKES = 'take|last|cost|start|begin|end|open|close|happen|expire|work|run|apply|weigh|hold';

/** Words that questions about anything are made of, in the singular. */
export const GENERIC = stemsOf(
  `${ATTRIBUTES} ${DEGREES} ${KINDS} ${TAKES}`.replaceAll('|', ' '),
  'first second third fourth last next previous other another same one two both many few much more most less least',
  'big large small long short old new good better best bad worse worst fast faster slow slower easy hard important',
  'possible impossible allowed needed required necessary mandatory optional supported available responsible affected',
  'involved included valid invalid enabled disabled special safe wrong different missing usually normally really',
  'exactly automatically ever always immediately later before after together now then again back',
  'way thing step part section page chapter table row line item entry list example case place people person somebody',
  'code input output text data feature system program tool device directory folder problem issue mistake choice',
  'alternative side effect detail exit',
  'allow call do make read write use give return print send store keep save raise throw search process choose change',
  'find put pass need happen matter mean skip undo turn switch enable disable pick want try stop finish fail break',
  'install remove delete add edit update check tell know say look go come get see show create configure adjust',
  'increase decrease reset restart stay depend require support count set done made written given sent kept thrown',
  'chosen found on off up down in out',
);

function stemsOf(...lines: string[]): Set<string> {
  return contentStems(lines.join(' ').replace(/\p{L}+/gu, (word) => `${word} ${word}s ${word}ed`));
}

/** What the words of a question refer to is the history's to tell. */
export const REFERS = /\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|hers)\b/i;

/** A number, an identifier, a quotation or a name is something to go by. */
export const MARKED = /[\p{N}_/\\`"“$@-]|\s\p{L}?\p{Lu}\p{L}/u;
