/** Tickets: what waits for whoever looks, and one of them with what it would change and what was measured. */
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type Api,
  type Difference,
  type ListedTicket,
  Refused,
  type Ticket,
  type TicketAction,
} from './api.ts';
import { download } from './download.ts';
import { Table, Time } from './table.tsx';
import { told, type Words } from './words.ts';

interface Props {
  api: Api;
  collection: string;
  words: Words;
}

/** `id`: of the one that is looked at; left out: all of them. */
export function Tickets({ id, ...props }: Props & { id: string | undefined }) {
  return (
    <main class="wide">{id === undefined ? <List {...props} /> : <One key={id} id={id} {...props} />}</main>
  );
}

/** Whether it goes on only with whoever looks. */
function waits({ state, next }: ListedTicket): boolean {
  const leads = ['submit', 'approve', 'apply'] as const;
  const begins = (state === 'SUBMITTED' && next.includes('triage')) || state === 'CONFLICT';
  return leads.some((step) => next.includes(step)) || (begins && next.length > 0);
}

function List({ api, collection, words }: Props) {
  const [tickets, setTickets] = useState<ListedTicket[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setTickets(null);
    setProblem(null);
    api.tickets(collection).then(
      (found) => isCurrent && setTickets(found.tickets),
      (error: unknown) => isCurrent && setProblem(told(error, words)),
    );
    return () => {
      isCurrent = false;
    };
  }, [api, collection]);
  const rowsOf = (some: ListedTicket[]) =>
    some.map(({ id, claim, state, proposer, created }) => [
      <a key={id} href={`#tickets/${id}`}>
        {claim}
      </a>,
      state,
      proposer.id,
      <Time key="created" at={created} />,
      id,
    ]);
  const head = [words.claim, words.state, words.proposedBy, words.when, words.number];
  const mine = tickets?.filter(waits) ?? [];
  return (
    <>
      <h2>{words.tickets}</h2>
      <p>{words.ticketsAre}</p>
      {problem !== null && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      {tickets !== null && (
        <>
          <p role="status">
            {words.waitForYou}: {mine.length}
          </p>
          <Table caption={words.waitForYou} head={head} rows={rowsOf(mine)} />
          <Table
            caption={words.otherTickets}
            head={head}
            rows={rowsOf(tickets.filter((each) => !waits(each)).reverse())}
          />
        </>
      )}
    </>
  );
}

interface Seen {
  ticket: Ticket;
  differences: Difference[];
}

/** Steps that are a button and nothing more. */
const STEPS = ['submit', 'triage', 'apply', 'rollback', 'withdraw'] as const satisfies TicketAction[];

function One({ api, collection, words, id }: Props & { id: string }) {
  const [seen, setSeen] = useState<Seen | null>(null);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);

  async function look() {
    const [ticket, differences] = await Promise.all([
      api.ticket(collection, id),
      api.differences(collection, id),
    ]);
    setSeen({ ticket, differences });
    return ticket;
  }
  async function act(work: () => Promise<void>) {
    setBusy(true);
    setSaid(words.working);
    setProblem(null);
    try {
      await work();
      setSaid(`${words.done} ${(await look()).state}`);
      heading.current?.focus();
    } catch (error) {
      setSaid('');
      setProblem(told(error, words));
      // Somebody else was faster: what is shown is how it stands.
      if (error instanceof Refused && error.problem.status === 409) await look().catch(() => {});
    } finally {
      setBusy(false);
    }
  }
  useEffect(() => {
    look().then(
      () => heading.current?.focus(),
      (error: unknown) => setProblem(told(error, words)),
    );
  }, [api, collection]);

  const { ticket, differences } = seen ?? { ticket: null, differences: [] };
  return (
    <>
      <p>
        <a href="#tickets">{words.allTickets}</a>
      </p>
      <h2 tabIndex={-1} ref={heading}>
        {ticket?.claim ?? words.tickets}
      </h2>
      <p role="status">{said}</p>
      <p role="alert" class="problem">
        {problem}
      </p>
      {ticket !== null && (
        <>
          <Facts
            ticket={ticket}
            words={words}
            take={({ name, sha256 }) => {
              api.proof(collection, ticket, sha256).then(
                (content) => download(name, content),
                (error: unknown) => setProblem(told(error, words)),
              );
            }}
          />
          <section aria-labelledby="change">
            <h3 id="change">{words.change}</h3>
            {differences.map((each) => (
              <Change key={each.docId} difference={each} words={words} />
            ))}
          </section>
          {ticket.assessment !== null && <Measured assessment={ticket.assessment} words={words} />}
          <div class="buttons">
            {STEPS.filter((step) => ticket.next.includes(step)).map((step) => (
              <button
                key={step}
                type="button"
                class="plain"
                disabled={isBusy}
                onClick={() => void act(() => api.step(collection, ticket, step))}
              >
                {words[step]}
              </button>
            ))}
          </div>
          <Review
            ticket={ticket}
            words={words}
            isBusy={isBusy}
            review={(verdict, because) => void act(() => api.review(collection, ticket, verdict, because))}
          />
        </>
      )}
    </>
  );
}

interface FactsProps {
  ticket: Ticket;
  words: Words;
  /** Gives somebody a file of the proof. */
  take: (file: Ticket['proof'][number]) => void;
}

function Facts({ ticket, words, take }: FactsProps) {
  const { id, state, proposer, created, proof, validFrom, validTo, approvals, rejected, trouble } = ticket;
  return (
    <dl>
      <dt>{words.number}</dt>
      <dd>{id}</dd>
      <dt>{words.state}</dt>
      <dd>{state}</dd>
      <dt>{words.proposedBy}</dt>
      <dd>
        {proposer.id}, <Time at={created} />
      </dd>
      {proof.length > 0 && (
        <>
          <dt>{words.proof}</dt>
          <dd class="buttons">
            {proof.map((file, i) => (
              <button key={i} type="button" class="plain" onClick={() => take(file)}>
                {file.name}
              </button>
            ))}
          </dd>
        </>
      )}
      {validFrom !== null && (
        <>
          <dt>{words.validFrom}</dt>
          <dd>
            <Time at={validFrom} />
          </dd>
        </>
      )}
      {validTo !== null && (
        <>
          <dt>{words.until}</dt>
          <dd>
            <Time at={validTo} />
          </dd>
        </>
      )}
      {approvals.map(({ by, because }) => (
        <>
          <dt>{words.approvedBy}</dt>
          <dd>
            {by.id}: {because}
          </dd>
        </>
      ))}
      {rejected !== null && (
        <>
          <dt>{words.rejectedBy}</dt>
          <dd>
            {rejected.by.id}: {rejected.because}
          </dd>
        </>
      )}
      {trouble !== null && (
        <>
          <dt>{words.trouble}</dt>
          <dd>{trouble}</dd>
        </>
      )}
    </dl>
  );
}

/** Sentences, those that go and come said and not only coloured. */
function Change({ difference: { docId, lines }, words }: { difference: Difference; words: Words }) {
  return (
    <figure>
      <figcaption>{docId}</figcaption>
      {lines.length === 0 && <p>{words.noChange}</p>}
      {lines.map(({ kind, text }, i) =>
        kind === 'context' ? (
          <p key={i} class="line">
            {text}
          </p>
        ) : kind === 'gone' ? (
          <p key={i} class="line">
            <span class="hidden">{words.goes}: </span>
            <del>{text}</del>
          </p>
        ) : (
          <p key={i} class="line">
            <span class="hidden">{words.comes}: </span>
            <ins>{text}</ins>
          </p>
        ),
      )}
    </figure>
  );
}

const figure = (share: number | null) => (share === null ? '–' : share.toFixed(2));

function Measured({ assessment, words }: { assessment: NonNullable<Ticket['assessment']>; words: Words }) {
  const { at, by, trust, contradictions, changed, replayed, problems } = assessment;
  const scored = contradictions.compared.reduce((sum, each) => sum + each.scored, 0);
  return (
    <section aria-labelledby="measured">
      <h3 id="measured">{words.measured}</h3>
      <p>
        {words.measuredBy} {by}, <Time at={at} />. {words.decidesNothing}
      </p>
      <p>
        {words.trust}: {figure(trust.score)} = {figure(trust.entailment)} ({words.entailment}) ×{' '}
        {figure(trust.acceptance)} ({words.acceptance}) × {figure(trust.provenance)} ({words.provenance})
      </p>
      {trust.unread.map((each) => (
        <p key={each}>
          {words.notRead}: {each}
        </p>
      ))}
      <p>
        {words.contradictions}: {contradictions.found.length} ({words.ofPairs} {scored})
      </p>
      <Table
        caption={words.contradictions}
        head={[words.document, words.says, words.against, words.probability]}
        rows={contradictions.found.map((each) => [
          each.docId,
          each.text,
          each.sentence,
          figure(each.contradiction),
        ])}
      />
      <p>
        {words.otherwise}: {changed.length} / {replayed}
      </p>
      <Table
        caption={words.otherwise}
        head={[words.question_, words.now, words.wouldBe]}
        rows={changed.map(({ query, before, after }) => [query, outcome(before), outcome(after)])}
      />
      {problems.map((each) => (
        <p key={each} class="problem">
          {words.inTheWay}: {each}
        </p>
      ))}
    </section>
  );
}

type Outcome = NonNullable<Ticket['assessment']>['changed'][number]['before'];

const outcome = ({ action, quotes }: Outcome) => [action, ...quotes.map(({ text }) => text)].join(' · ');

interface ReviewProps {
  ticket: Ticket;
  words: Words;
  isBusy: boolean;
  review: (verdict: 'approve' | 'reject', because: string) => void;
}

function Review({ ticket: { next }, words, isBusy, review }: ReviewProps) {
  const verdicts = (['approve', 'reject'] as const).filter((verdict) => next.includes(verdict));
  if (verdicts.length === 0) return null;
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = (event as SubmitEvent).submitter as HTMLButtonElement;
        const because = String(new FormData(event.currentTarget).get('because')).trim();
        review(chosen.value as 'approve' | 'reject', because);
      }}
    >
      <label for="because">{words.because}</label>
      <textarea id="because" name="because" rows={2} required maxLength={2000} />
      <div class="buttons">
        {verdicts.map((verdict) => (
          <button key={verdict} type="submit" value={verdict} disabled={isBusy}>
            {words[verdict]}
          </button>
        ))}
      </div>
    </form>
  );
}
