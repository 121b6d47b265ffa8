/** As much English as turning a question round needs: which word is a verb, and its other forms. */

/** base past participle, for verbs whose forms are not regular. */
const IRREGULAR =
  `arise arose arisen|beat beat beaten|become became become|begin began begun|bind bound bound|
bite bit bitten|blow blew blown|break broke broken|breed bred bred|bring brought brought|build built built|
burn burned burned|buy bought bought|catch caught caught|choose chose chosen|come came come|cost cost cost|
cut cut cut|deal dealt dealt|do did done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|
fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found|flee fled fled|fly flew flown|
forget forgot forgotten|get got got|give gave given|go went gone|grow grew grown|have had had|hear heard heard|
hide hid hidden|hit hit hit|hold held held|keep kept kept|know knew known|lay laid laid|lead led led|
learn learned learned|leave left left|lend lent lent|let let let|lie lay lain|lose lost lost|make made made|
mean meant meant|meet met met|pay paid paid|put put put|read read read|ride rode ridden|rise rose risen|run ran run|
say said said|see saw seen|sell sold sold|send sent sent|set set set|shoot shot shot|show showed shown|
shut shut shut|sing sang sung|sink sank sunk|sit sat sat|sleep slept slept|speak spoke spoken|spend spent spent|
split split split|spread spread spread|stand stood stood|steal stole stolen|strike struck struck|swear swore sworn|
swim swam swum|take took taken|teach taught taught|tell told told|think thought thought|throw threw thrown|
understand understood understood|wear wore worn|win won won|write wrote written|undergo underwent undergone|
withdraw withdrew withdrawn|overcome overcame overcome|bear bore born|found founded founded|wind wound wound`
    .replaceAll('\n', '')
    .split('|')
    .map((line) => line.split(' ') as [string, string, string]);

const REGULAR = `accept accuse achieve acquire act adapt add admit adopt advance advise affect agree aim allow
amount announce appear apply appoint approve argue arrest arrive ask assign assist associate assume attack attempt
attend attract avoid award ban base believe belong benefit blame borrow call carry cause celebrate change charge
claim classify close collaborate collapse collect combine commission commit compare compete complete compose conduct
connect conquer consider consist contain continue contribute control convert cover create cross date decide declare
decline dedicate defeat defend define deliver demand demonstrate deny depart depend describe design desire destroy
determine develop die differ direct disappear discover discuss divide dominate donate earn elect eliminate emerge
employ enable encourage end engage enjoy enter erect escape establish estimate evolve examine execute exist expand
expect experience explain explore export express extend face fail feature fight fill finish fire fit flow focus
follow force form function fund gain generate govern graduate handle happen hate help hire host house identify
imply import impose improve include increase indicate influence inhabit inherit inspire intend introduce invade
invent invest invite involve issue join judge kill lack land last launch like limit link list live locate look love
maintain manage mark marry measure mention migrate mine move name need note notice obtain occupy occur offer open
operate oppose order organize originate own pass perform permit place plan play point possess practice prefer
prepare present prevent produce prohibit promise promote propose protect prove provide publish purchase pursue raise
rank reach react realize receive recognize recommend record recover reduce refer reflect refuse regard reign reject
relate release rely remain remove rename replace report represent request require research reside resign respond
result retain retire return reveal revolve rule save seek seem separate serve settle share sign sound start state
stay stop store study succeed suffer suggest supply support surpass surrender survive symbolize target tend test
threaten total trade train transfer translate travel treat trigger try turn unite use vary view violate visit vote
wait want warn watch weigh wish work worship yield contain cite cede deploy host model resemble rebuild retreat tour twin alternate portray border comprise address convict
demolish devote donate drop enforce finance flourish found guide honor incorporate install kidnap lobby mandate nominate
profit promote refuse regulate reopen restore sack sail score sponsor stage surround suspend symbolise translate trust update`
  .split(/\s+/)
  .filter((word) => word.length > 0);

const PAST = new Map(IRREGULAR.map(([base, past]) => [base, past]));
const PARTICIPLES = new Set(IRREGULAR.map(([, , participle]) => participle));
const PASTS = new Set(IRREGULAR.map(([, past]) => past));
const BASES = new Set([...REGULAR, ...PAST.keys()]);

/** True for a base form that the list has. */
export function isBase(word: string): boolean {
  return BASES.has(word);
}

/** Ends as regular pasts do: used, died, but not seed or hundred. */
function isRegularPast(word: string): boolean {
  return word.length > 3 && word.endsWith('ed') && !/(eed|hundred|sacred|naked)$/.test(word);
}

/** True for what may follow "was": written, founded, called. */
export function isParticiple(word: string): boolean {
  return PARTICIPLES.has(word) || isRegularPast(word);
}

/** True for what may follow "who": wrote, founded, owns. */
export function isFiniteVerb(word: string): boolean {
  if (PASTS.has(word) || isRegularPast(word)) return true;
  return (
    word.endsWith('s') && (BASES.has(word.slice(0, -1)) || BASES.has(word.slice(0, -2)) || word === 'has')
  );
}

/** "discover" -> "discovered", "write" -> "wrote". */
export function past(base: string): string {
  const irregular = PAST.get(base);
  if (irregular !== undefined) return irregular;
  if (base.endsWith('e')) return `${base}d`;
  if (/[^aeiou]y$/.test(base)) return `${base.slice(0, -1)}ied`;
  if (/^(stop|plan|ban|fit|refer|admit|commit|permit|occur|prefer|transfer|control)$/.test(base)) {
    return `${base}${base.at(-1)}ed`;
  }
  return `${base}ed`;
}

/** "discover" -> "discovers", "have" -> "has". */
export function thirdPerson(base: string): string {
  if (base === 'have') return 'has';
  if (/(s|x|z|ch|sh|o)$/.test(base)) return `${base}es`;
  if (/[^aeiou]y$/.test(base)) return `${base.slice(0, -1)}ies`;
  return `${base}s`;
}
