/** Forty decision records as a team would keep them, and questions about records that exist or do not. */

const TOPICS = (
  'message queue,RabbitMQ|time series store,TimescaleDB|front end framework,Svelte|secret store,Vault|build tool,Bazel|' +
  'log format,JSON lines|map library,Leaflet|identity provider,Keycloak|object store,MinIO|search engine,OpenSearch'
)
  .split('|')
  .map((each) => each.split(',') as [string, string]);
const USES = ['invoices', 'meter readings', 'outage reports', 'the customer portal'];
const PEOPLE = [
  'Mara Velden',
  'Jonas Abel',
  'Ines Rocha',
  'Tariq Aziz',
  'Lena Brandt',
  'Otto Haas',
  'Sofia Lind',
];
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

const RECORDS = 40;

function pad(n: number): string {
  return String(n).padStart(4, '0');
}

function factsOf(n: number): Record<'what' | 'choice' | 'use' | 'person' | 'date', string> {
  const [what, choice] = TOPICS[(n * 7) % TOPICS.length]!;
  const use = USES[Math.floor((n - 1) / TOPICS.length)]!;
  const date = `${1 + ((n * 11) % 28)} ${MONTHS[(n * 5) % 12]} ${2015 + (n % 9)}`;
  return { what, choice, use, person: PEOPLE[(n * 3) % PEOPLE.length]!, date };
}

/** Name and Markdown text of each record. */
export function decisionRecords(): Record<string, string> {
  const files: Record<string, string> = {};
  for (let n = 1; n <= RECORDS; n += 1) {
    const { what, choice, use, person, date } = factsOf(n);
    const id = `ADR-${pad(n)}`;
    files[`adr-${pad(n)}.md`] = [
      `# ${id}: ${what} for ${use}`,
      `${id} was approved by ${person} on ${date}.`,
      `## Decision\n\n${id} decides that ${choice} is the ${what} for ${use}.`,
      `## Status\n\n${id} is in force.`,
    ].join('\n\n');
  }
  return files;
}

const WRITTEN = [
  (n: number) => `ADR-${pad(n)}`,
  (n: number) => `ADR ${pad(n)}`,
  (n: number) => `adr-${pad(n)}`,
  (n: number) => `ADR-${n}`,
  (n: number) => `ADR\u2011${pad(n)}`,
];
const ASKED = [
  (id: string) => `What does ${id} decide?`,
  (id: string) => `Who approved ${id}?`,
  (id: string) => `When was ${id} approved?`,
  (id: string) => `What was decided in ${id}?`,
];

/** Questions that only ask more of a record that does not exist; no record of ours would answer them. */
const ASKED_IN_VAIN = [
  ...ASKED,
  (id: string) => `Is ${id} still valid in section 3 since 2019?`,
  (id: string) => `Why was ${id} superseded after COVID-19?`,
  (id: string) => `How does ADR-0012 differ from ${id}?`,
];

interface RecordQuestion {
  id: string;
  query: string;
  /** File of the record, without extension; empty where there is none. */
  record: string;
}

/** `count` questions, each about one record; with `exist` false about numbers above the last, all different. */
export function questionsAbout(exist: boolean, count: number): RecordQuestion[] {
  return Array.from({ length: count }, (_, i) => {
    const n = exist ? 1 + (i % RECORDS) : RECORDS + 1 + ((i * 37) % 9_950);
    // Every record meets every form and every question before one of them comes again.
    const turn = exist ? Math.floor(i / RECORDS) : i;
    const written = WRITTEN[(turn + n) % WRITTEN.length]!(n);
    const forms = exist ? ASKED : ASKED_IN_VAIN;
    const asked = forms[(Math.floor(turn / WRITTEN.length) + n) % forms.length]!;
    return {
      id: `${exist ? 'known' : 'unknown'}-${i}`,
      query: asked(written),
      record: exist ? `adr-${pad(n)}` : '',
    };
  });
}
