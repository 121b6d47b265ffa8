/** Word lists of the rules. English only: other languages come back unchanged. */

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const QUESTION_WORDS = words('who whom whose what when where why how which');

export const AUXILIARIES = words(
  "is are was were am be been being do does did has have had can could will would shall should must may might isn't " +
    "aren't wasn't weren't doesn't don't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't",
);

/** Words that name nothing, whatever their case at the start of a sentence. */
export const FUNCTION_WORDS = words(
  'a about above after again against all also although am among an and another any anyone anything are as at away ' +
    'because been before being below between both but by can could did do does doing down during each either else ' +
    'ever every everyone everything few first for from further had has have having he her here hers herself him ' +
    'himself his how however i if in into is it its itself just later like many may maybe me might mine more most ' +
    'much must my neither never no nobody none nor not nothing now of off okay ok on once one only or other our ours ' +
    'out over own per please same several shall she should since so some someone something still such than thanks though ' +
    'that the their theirs them themselves then there these they this those through thus to together too under until ' +
    'up upon us very was we well were what when where whether which while who whom whose why will with within ' +
    "without would yes yet you your yours i'm i've i'd i'll it's he's she's that's there's they're we're what's " +
    'who’s tell show give let find list explain describe say said says know knows known',
);

/** What is said for politeness and means no value, "perfect, bye". */
export const COURTESIES = words(
  'yes yep yeah sure right correct exactly ok okay thanks thank thx cheers hello hi hey bye goodbye ciao please sorry ' +
    'perfect great good fine nice cool lovely awesome excellent wonderful brilliant alright welcome',
);

/** Words of one who will not or cannot choose: "whatever", "no idea", "never mind", "I don't care". */
export const INDIFFERENT = words(
  'whatever whichever whoever idea ideas clue care cares know knows sure unsure mind matter matters preference ' +
    'difference cancel skip pass stop quit exit forget leave dunno idk nevermind anyway maybe perhaps dont doesnt cant ' +
    'decide choose pick bother n/a undecided unknown irrelevant unimportant important nope no none nah neither',
);

/** Nouns that stand for what a conversation is about: "the band", "this device". */
export const GENERIC_NOUNS = words(
  'album article actor actress artist author band battle bill book building business case character city club ' +
    'collection committee company contract country course department device director document drug economy episode ' +
    'event festival film firm franchise game group guide guy house incident institution island journal label law ' +
    'league machine magazine man manual movement movie museum musical network newspaper novel organisation ' +
    'organization outbreak paper park part party plan play player podcast policy procedure process product program ' +
    'programme project protocol record report republic restaurant river school season series service ship show ' +
    'singer single site software song station story study subject system team theory tour town treaty trial tribe ' +
    'university version video village war website woman work writer',
);

/** What can stand between two capitalised words of one name. */
export const NAME_LINKS = words('of the de von van der den la le du del della da di dos al el bin ibn for');

export const TITLES: ReadonlyMap<string, Gender> = new Map([
  ['mr', 'male'],
  ['sir', 'male'],
  ['lord', 'male'],
  ['king', 'male'],
  ['prince', 'male'],
  ['pope', 'male'],
  ['father', 'male'],
  ['brother', 'male'],
  ['mrs', 'female'],
  ['ms', 'female'],
  ['miss', 'female'],
  ['lady', 'female'],
  ['queen', 'female'],
  ['princess', 'female'],
  ['sister', 'female'],
  ['dr', 'person'],
  ['professor', 'person'],
  ['prof', 'person'],
  ['president', 'person'],
  ['senator', 'person'],
  ['general', 'person'],
]);

/** `person`: of unknown gender. */
export type Gender = 'male' | 'female' | 'person';
