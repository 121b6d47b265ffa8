/**
 * From the labels of the public sets to speech acts. Rules look at the surface only, and only where the surface is
 * certain; what stays unclear is dropped (`undefined`), never guessed.
 */
import type { Act } from '../../../profiles/index.ts';

/** What a labelled question became, and whether it asks for a point in time (dates are reported both ways). */
export interface Labelled {
  act: Act;
  date: boolean;
}

const AUXILIARY =
  /^(?:is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|may|might|must|isn't|aren't|don't|doesn't|didn't|can't|wasn't|weren't)\b/;
const COMPARISON =
  /\b(?:differenc\w*|distinctions?) (?:between|betwe\w+|in|from)\b|^difference |\bdiffers? from\b|\bcompare(?:s|d)? (?:to|with|the)\b|^compare\b|\bvs\b|\bversus\b|\bpros and cons\b/;
const MEANING =
  /\b(?:definition|meaning)s?(?: in \w+| \w+)?\??$|^(?:the )?(?:definition|meaning)s? (?:of|for)\b|\bmeaning (?:of|for)\b|^define\b|^what(?:'s| is| are|s| is the| are the)? (?:the )?(?:\w+ )?(?:meaning|definition)s?\b|\bwhat (?:does|do|did|is)\b.*\b(?:mean|stands? for)\b/;
/** "What is (a) X?": at most three words, none of which asks for one property of something. */
const WHAT_IS =
  /^(?:what(?:'s| is| are|s) (?:an? )?)(?!the\b|your\b|my\b|it\b|this\b|that\b|there\b|happen|better|more|some\b|wrong)(?!\p{L}+ing\b)[\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+){0,2} ?\??$/u;
const PROPERTY =
  /\b(?:of|in|on|for|at|by|to|name|date|time|day|year|age|size|number|address|symptoms?|benefits?|effects?|best|worst|most|called|made|like|used|done|better|between|good|bad|wrong|cost|price)\b/;
const AMOUNT =
  /\bhow (?:many|much|long|far|old|tall|big|high|deep|fast|often|heavy|large|wide|hot|cold|late|soon|thick|close|loud|small|longcan)\b|\bwhat (?:percentage|percent|proportion|fraction|age|number|magnitude|distance|speed|temperature)\b|^(?:what(?:'s| is| was| are| were)? (?:the )?)?(?:average |total |approximate |estimated |current )?(?:population|height|weight|length|depth|width|cost|price|distance|number|speed|salary|worth|age|area|size|temperature)s? (?:of|to|from|for|in)\b|^what (?:is|was|are|were) [^?]*\b(?:salary|salaries|population|cost|price|height|income|percentage)\b|\bnet worth\b|\bworth$/;
const DATE =
  /^(?:about |by |since )?when(?:'s)? (?:did|was|were|is|are|does|do|will|had|has|have|should|can|would|could)\b(?![^?]*,)|\b(?:in|during|on|by|since|at|of) (?:what|which) (?:year|date|day|month|century|decade|time|years)\b|^(?:what|which) (?:year|date|day|month|century|decade|time|season)\b|\bwhat (?:yr|year)\b/;
const HOW_TO =
  /\bhow (?:to|do i|do you|do u|do we|do one|can i|can you|can we|can u|can one|could i|should i|should you|should we|would i|would you|will i|do people|can a person|might i)\b|^steps (?:to|for)\b|\bwhat (?:should|can|do) (?:i|you|we|one) do (?:to|if|when|about)\b|\b(?:best|easiest|quickest|fastest|cheapest) way (?:to|for)\b|^how (?:is|are) [^?]*\b(?:made|produced|built|manufactured|cooked|prepared|installed)\b/;
const CAUSE =
  /\bwhy\b|\bhow come\b|\bwhat (?:causes?|caused|makes|made|led)\b|\bwhat (?:is|are|was|were) (?:the |some )?(?:\w+ )*(?:causes?|reasons?|purposes?)\b|\bfor what (?:reason|purpose)\b|\bwhat happens?\b|\bwhat would happen\b/;
const HOW = /\bhow (?:does|do|did|is|are|was|were|has|have|can|could|would|will|much of an effect)\b/;
const JUDGEMENT =
  /\bshould\b|\bbest\b|\bbetter\b|\bworst\b|\bgood\b|\bbad\b|\bworth\b|\bthink\b|\bthnk\b|\bopinion|\brecommend|\bsuggest|\bfavou?rite\b|\breview\b|\brate\b|\blike\b|\bfeel|\btips\b|\badvice\b|\bbelieve\b|\bsatisfied\b/;

/** Plain form that the rules look at. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/[‘’`]/g, "'").replace(/\s+/g, ' ').trim();
}

/** The act that the words alone make certain for a question about facts, or undefined. */
export function surfaceAct(text: string): Labelled | undefined {
  const q = plain(text);
  const as = (act: Act, date = false): Labelled => ({ act, date });
  if (COMPARISON.test(q) && !/\bhow (?:many|much)\b|\bscore\b/.test(q)) return as('COMPARISON');
  if (AUXILIARY.test(q)) return / or /.test(q) ? undefined : as('VERIFICATION');
  if (DATE.test(q)) return as('QUANTITY', true);
  if (MEANING.test(q)) return as('DEFINITION');
  if (AMOUNT.test(q)) return as('QUANTITY');
  if (HOW_TO.test(q)) return as('PROCEDURE');
  if (CAUSE.test(q)) return as('EXPLANATION');
  if (HOW.test(q)) return as('EXPLANATION');
  if (WHAT_IS.test(q) && !PROPERTY.test(q)) return as('DEFINITION');
  return undefined;
}

/** Act of a line of TREC-QC by its label "COARSE:fine". */
export function trecAct(label: string, text: string): Labelled | undefined {
  const q = plain(text);
  const as = (act: Act, date = false): Labelled => ({ act, date });
  switch (label) {
    case 'DESC:def':
    case 'ABBR:exp':
      return as('DEFINITION');
    case 'NUM:date':
      return as('QUANTITY', true);
    case 'DESC:reason':
      return as('EXPLANATION');
    case 'DESC:manner':
      return as(HOW_TO.test(q) || /^how you can\b/.test(q) ? 'PROCEDURE' : 'EXPLANATION');
    case 'DESC:desc':
      if (COMPARISON.test(q)) return as('COMPARISON');
      if (/\b(?:mean|meaning|stands? for)\b/.test(q)) return as('DEFINITION');
      if (
        /\b(?:origin|history|story behind|effects?|impact|result|role|consequences|theory|describe|happen\w*|purpose|proof|process|causes?)\b/.test(
          q,
        )
      ) {
        return as('EXPLANATION');
      }
      return undefined;
    default:
      if (label.startsWith('NUM:')) return as('QUANTITY');
      return AUXILIARY.test(q) ? as('VERIFICATION') : as('FACT');
  }
}

const NF_DIRECT: Readonly<Record<string, Act>> = {
  FACTOID: 'FACT',
  DEBATE: 'OPINION',
  EXPERIENCE: 'OPINION',
  'EVIDENCE-BASED': 'EXPLANATION',
  REASON: 'EXPLANATION',
  INSTRUCTION: 'PROCEDURE',
  COMPARISON: 'COMPARISON',
  'NOT-A-QUESTION': 'NOT_A_QUESTION',
};

/** Act of an NF-CATS category as the file has it, without a look at the words. */
export function nfDirectAct(category: string): Act | undefined {
  return Object.hasOwn(NF_DIRECT, category) ? NF_DIRECT[category] : undefined;
}

/**
 * Act of an NF-CATS row after the known mistakes of its category are undone: FACTOID holds amounts, dates,
 * definitions and yes/no questions; EVIDENCE-BASED is half definitions; the crowd's labels of the small classes
 * are noisy, so the words have to agree with them.
 */
export function nfAct(category: string, annotator: string, text: string): Labelled | undefined {
  const q = plain(text);
  const as = (act: Act, date = false): Labelled => ({ act, date });
  const surface = surfaceAct(text);
  switch (category) {
    case 'NOT-A-QUESTION':
      return /\?\s*$/.test(q) ? undefined : as('NOT_A_QUESTION');
    case 'FACTOID':
      if (surface) return surface.act === 'DEFINITION' && !MEANING.test(q) ? undefined : surface;
      if (AUXILIARY.test(q)) return undefined;
      return JUDGEMENT.test(q) && !/ like\b/.test(q) ? undefined : as('FACT');
    case 'EVIDENCE-BASED':
      if (surface) return surface.act === 'VERIFICATION' ? undefined : surface;
      if (/^(?:who|where)\b/.test(q)) return as('FACT');
      return /\b(?:benefits|effects?|affect\w*|role|impact|explain|mechanism|consequences)\b/.test(q)
        ? as('EXPLANATION')
        : undefined;
    case 'INSTRUCTION':
      if (!surface) return undefined;
      return surface.act === 'VERIFICATION' || surface.act === 'DEFINITION' ? undefined : surface;
    case 'REASON':
      return CAUSE.test(q) ? as('EXPLANATION') : undefined;
    case 'COMPARISON':
      return COMPARISON.test(q) || /\bdiffer|\bbetter\b|\bcompar| or /.test(q) ? as('COMPARISON') : undefined;
    case 'DEBATE':
      if (surface && ['COMPARISON', 'PROCEDURE', 'DEFINITION', 'QUANTITY'].includes(surface.act)) {
        return /\bshould\b|\bbest\b/.test(q) ? as('OPINION') : surface;
      }
      return annotator === 'unsupervised' || JUDGEMENT.test(q) ? as('OPINION') : undefined;
    case 'EXPERIENCE':
      if (/\bwhy\b/.test(q)) return undefined;
      return JUDGEMENT.test(q) || /\byou\b|^how (?:is|are|was|about)\b/.test(q) ? as('OPINION') : undefined;
    default:
      return undefined;
  }
}
