/**
 * Hand-written phrasings that the public sets lack: keyword queries, imperatives, comparisons, checks, small talk.
 * Written for this project; each template is filled with things from lists that are written here too.
 */
import type { Act } from '../../../profiles/index.ts';

/** Items between bars. */
function list(text: string): string[] {
  return text.split('|').map((item) => item.trim());
}

const THINGS = list(`
    photosynthesis | the water cycle | a heat pump | git rebase | the French Revolution | inflation |
    insulin | the load balancer | ADR-0012 | invoice 4711 | section 12.3 | the parental leave policy |
    TCP | granite | the Danube | Nairobi | Portugal | the data retention rule | project Falcon |
    the X200 router | osmosis | blockchain | the cooling system | black holes | the Meiji restoration |
    penicillin | the staging cluster | RFC 2119 | ticket PX-88 | the travel budget | glaciers |
    Marie Curie | the Suez Canal | Python decorators | the onboarding guide | solar panels |
    the login service | Lake Victoria | bylaw 7 | the backup job`);
const PAIRS = [
  ['REST', 'GraphQL'],
  ['alligators', 'crocodiles'],
  ['the basic plan', 'the premium plan'],
  ['copper', 'aluminium'],
  ['Postgres', 'MySQL'],
  ['mitosis', 'meiosis'],
  ['viruses', 'bacteria'],
  ['model A', 'model B'],
  ['jam', 'marmalade'],
  ['common law', 'civil law'],
  ['weather', 'climate'],
  ['lease', 'purchase'],
  ['HTTP/1.1', 'HTTP/2'],
  ['bees', 'wasps'],
  ['stalactites', 'stalagmites'],
  ['the 2019 report', 'the 2021 report'],
  ['diesel', 'petrol'],
  ['Keynes', 'Hayek'],
];
const DEEDS = list(`
    reset my password | install the agent | renew a passport | change a flat tyre |
    submit an expense report | configure the proxy | bake sourdough bread | rotate the signing keys |
    request parental leave | prune roses | deploy to production | file a complaint |
    clean a cast iron pan | restore a database from backup | tie a bowline | book a meeting room |
    calibrate the sensor | apply for a grant | merge two branches | replace the filter`);
const HAPPENINGS = list(`
    leaves change colour in autumn | the build fails on Windows | vaccines protect people |
    the Roman Empire fell | the request times out | bread rises | the moon has phases |
    prices went up in 2022 | a fuse blows | the committee rejected the proposal |
    aeroplanes stay in the air | the cache is invalidated | rust forms on iron | earthquakes happen |
    the contract was terminated | ships float | the index becomes stale | birds migrate`);
const CLAIMS = list(`
    the warranty covers water damage | Mars has two moons | interns get paid leave |
    tomatoes are fruits | the office is open on Sundays | the service runs on Linux |
    the treaty was signed in Paris | gold conducts heat | the API requires a token | bats are blind |
    visitors need a badge | the bridge is older than the tower | refunds are possible after 30 days |
    the driver supports version 5 | Iceland is in the EU | whales sleep`);
const ATTRIBUTES = list(`
    capital | author | owner | status | headquarters | director | inventor | location |
    contact person | ceo | maintainer | colour | symbol | supplier | chairman | default port |
    file format | official language`);
const AMOUNTS = list(`
    population | height | price | cost | length | area | weight | number of employees | maximum size |
    age | deadline | release date | founding year | average salary | success rate | boiling point |
    annual budget`);
const GOODS = list(`
    laptop | programming language | restaurant in Lisbon | database | running shoes |
    holiday destination | text editor | insurance | book on statistics | coffee grinder`);

const TEMPLATES: readonly [Act, readonly string[], readonly string[]][] = [
  [
    'DEFINITION',
    list(`
    define {} | {} definition | definition of {} | meaning of {} | what {} means |
    explain the term {} | what is meant by {} | give a definition of {} |
    what do we understand by {}?`),
    THINGS,
  ],
  [
    'EXPLANATION',
    list(`
    explain {} | explain how {} works | describe how {} works | how does {} work | effects of {} |
    importance of {} | tell me about the origin of {} | how {} works`),
    THINGS,
  ],
  [
    'EXPLANATION',
    list(`
    explain why {} | reason why {} | tell me why {} | causes: {} | why is it that {}? |
    what explains that {}`),
    HAPPENINGS,
  ],
  [
    'PROCEDURE',
    list(`
    how to {} | steps to {} | list the steps to {} | guide: {} | instructions to {} |
    show me how to {} | explain how to {} | tell me how I can {} | what do I need to do to {} |
    describe the procedure to {} | walk me through how to {}`),
    DEEDS,
  ],
  [
    'VERIFICATION',
    list(`
    check whether {} | verify that {} | is it true that {}? | confirm that {} | true or false: {} |
    {}, right? | {}, correct? | is it correct that {} | does it hold that {}? | find out if {} |
    can you confirm that {}?`),
    CLAIMS,
  ],
  [
    'FACT',
    list(`
    {} of the project | name the {} of Portugal | {} of Lake Victoria |
    who or what is the {} of the X200 router | find the {} of ticket PX-88 |
    tell me the {} of Nairobi | ADR-0031 {} | invoice 4711 {} | acme {} |
    give me the {} of the login service | {} france | current {} of bylaw 7 | show {} for section 4.2`),
    ATTRIBUTES,
  ],
  [
    'FACT',
    list(`
    {} | {} contact | where is {} mentioned | documents about {} | information on {} |
    people involved in {}`),
    THINGS,
  ],
  [
    'FACT',
    list(`
    name the members of the board | list the planets of the solar system |
    list all suppliers in Spain | name three rivers in Poland | error code E1027 | server room key |
    wifi password guest network | emergency contact night shift | printer second floor |
    minutes of the March meeting | no signal in the basement | no sound after the update |
    no hot water on weekends | screen flickers | printer prints blank pages | engine overheats uphill |
    cannot connect to the guest network | payment declined abroad | application freezes on start |
    not able to log in | yes vote majority board | no parking zone permits | stop words list |
    ok status code | thanks giving parade route | hello world program | test results March |
    cancel order fee | invoices | vacation | backup | licences | pension | firewall | timeouts |
    allergies | headcount | parking | overtime | 2024 | 1984 novel | class constructor | null | E1027 |
    list the authors of the report | give examples of noble gases`),
    [''],
  ],
  [
    'QUANTITY',
    list(`
    {} of Portugal | {} of the Suez Canal | find the {} of project Falcon |
    tell me the {} of the X200 router | Nairobi {} | {} granite | give the {} of the basic plan |
    what is the {} of acme`),
    AMOUNTS,
  ],
  [
    'COMPARISON',
    list(`
    compare {} | {} differences | compare {} in terms of cost | list the differences between {} |
    what distinguishes {}`),
    PAIRS.map((pair) => pair.join(' and ')),
  ],
  [
    'COMPARISON',
    list(`
    {} | {} comparison | what is better, {}?`),
    PAIRS.map((pair) => pair.join(' vs ')),
  ],
  [
    'COMPARISON',
    list(`
    how does {}? | in what way does {}? | explain how {}`),
    PAIRS.map((pair) => pair.join(' differ from ')),
  ],
  [
    'OPINION',
    list(`
    best {} | recommend a good {} | what is your favourite {}? | which {} should I choose? |
    any tips for choosing a {}? | your opinion on the best {} | is a new {} worth the money? |
    what do people think of this {}`),
    GOODS,
  ],
  [
    'NOT_A_QUESTION',
    list(`
    hi | hello | Hello! | hey there | good morning | Good evening everyone | hi, how are you? |
    how are you doing today? | what's up? | nice to meet you | thanks | Thank you! |
    thank you very much for your help | many thanks | thx | cheers | great, thanks |
    that was helpful, thank you | perfect | awesome | ok | okay | yes | no | yes please | no thanks |
    sure | never mind | forget it | stop | bye | goodbye | see you tomorrow | have a nice day | lol |
    haha | hmm | wow | I see | I understand. | sorry | test | testing | asdf | please wait | go on |
    continue | that is all | I am very happy with the result. | We went to the beach yesterday. |
    My name is Paul. | I will come back later. | The meeting was cancelled. | I like your new design. |
    Just letting you know that the parcel arrived. | This is not what I wanted. |
    I think it is going to rain. | Please turn off the lights. | Send an email to Anna. |
    write a poem about spring | Remind me to call the dentist tomorrow. | play some music |
    tell me a joke | You are wrong. | You did a good job. | The cat sat on the mat. |
    It was a dark and stormy night. | I have a dog.`),
    [''],
  ],
];

/** Every template with every filler: `{}` stands for the filler. */
export function handWritten(): { text: string; act: Act }[] {
  return TEMPLATES.flatMap(([act, templates, fillers]) =>
    templates.flatMap((template) =>
      fillers.map((filler) => ({ text: template.replace('{}', () => filler), act })),
    ),
  );
}
