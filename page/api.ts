/** The server that the page came from. */
import { createParser } from 'eventsource-parser';
import type { CalibrationArtifact } from '../calibration/artifact/schema.ts';
import type { MemoryEntry, MemoryRecord } from '../governance/memory/record.ts';
import type { Difference } from '../knowledge/assessing/difference.ts';
import type { TicketAction } from '../knowledge/next.ts';
import type { Ticket as TicketRecord } from '../knowledge/tickets/ticket.ts';
import type { Decision, Query, StageReport } from '../router/contracts.ts';
import type { CollectionList, KeptQueries } from '../server/contracts.ts';
import type { Activity } from '../server/operations/activity.ts';
import type { Watched } from '../server/operations/monitors.ts';

export type { Activity, Difference, KeptQueries, MemoryEntry, MemoryRecord, TicketAction, Watched };

/** A ticket, with what the caller can do about it. */
export type Ticket = TicketRecord & { next: TicketAction[] };
export type ListedTicket = Pick<Ticket, 'id' | 'state' | 'claim' | 'proposer' | 'created' | 'next'>;

/** What may be asked here, and what else may be done. */
export type Here = CollectionList;
export type Collection = Here['collections'][number];
export type Threshold = CalibrationArtifact['acts'][number];

/** What went wrong, as RFC 9457 has it. */
export interface Problem {
  status: number;
  code: string;
  detail: string;
  hint?: string;
}

export interface DocumentText {
  id: string;
  title: string;
  passages: { passageId: string; start: number; end: number; text: string }[];
}

/** A labelled query, as `pragaura calibrate` reads them. */
export interface Label {
  id: string;
  query: string;
  history?: Query['history'];
  action: Decision['action'];
  answers?: string[];
  passages?: string[];
  verdict?: string;
  answerable?: boolean;
  group: string;
}

/** Labels that are kept, and what they suffice for. */
export interface LabelState {
  labels: number;
  documents: number;
  promises: { risk: number; documents: number }[];
}

export class Refused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Of what belongs to a collection. */
const addressOf = (...path: string[]) => `v1/collections/${path.map(encodeURIComponent).join('/')}`;

const MEMORY = 'v1/memory';
const QUERIES = 'v1/queries';

export class Api {
  readonly #key: string | null;

  constructor(key: string | null) {
    this.#key = key;
  }

  /** Throws Refused. */
  async collections(): Promise<Here> {
    return (await this.#send('GET', 'v1/collections')) as Here;
  }

  /** Throws Refused. */
  async activity(collection: string): Promise<Activity> {
    return (await this.#send('GET', addressOf(collection, 'activity'))) as Activity;
  }

  /** Throws Refused. */
  async monitor(collection: string): Promise<Watched> {
    return (await this.#send('GET', addressOf(collection, 'monitor'))) as Watched;
  }

  /** Of each act. Throws Refused. */
  async thresholds(collection: string): Promise<Threshold[]> {
    return ((await this.#send('GET', addressOf(collection, 'calibration'))) as CalibrationArtifact).acts;
  }

  /** Throws Refused. */
  async document(collection: string, id: string): Promise<DocumentText> {
    return (await this.#send('GET', addressOf(collection, 'documents', id))) as DocumentText;
  }

  /** Decides, and tells each stage as it is finished. Throws Refused, and what `fetch` throws. */
  async decide(
    collection: string,
    query: Omit<Query, 'id'>,
    stage: (report: StageReport) => void,
    signal: AbortSignal,
  ): Promise<Decision> {
    const response = await fetch(`v1/decisions?collection=${encodeURIComponent(collection)}`, {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(query),
      signal,
    });
    if (!response.ok) throw new Refused((await response.json()) as Problem);
    let decision: Decision | null = null;
    let problem: Problem | null = null;
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'decision') decision = JSON.parse(data) as Decision;
        else if (event === 'error') problem = JSON.parse(data) as Problem;
        else stage(JSON.parse(data) as StageReport);
      },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) parser.feed(next.value);
    if (problem !== null) throw new Refused(problem);
    if (decision === null) throw new TypeError('the stream broke off');
    return decision;
  }

  /** Throws Refused. */
  async label(collection: string, label: Label): Promise<LabelState> {
    return (await this.#send('POST', addressOf(collection, 'labels'), label)) as LabelState;
  }

  /** What is remembered of whoever asks; null before they agreed to it. Throws Refused. */
  async memory(): Promise<MemoryRecord | null> {
    try {
      return (await this.#send('GET', MEMORY)) as MemoryRecord;
    } catch (error) {
      if (error instanceof Refused && error.problem.status === 404) return null;
      throw error;
    }
  }

  /** Throws Refused. */
  async agreeToMemory(): Promise<MemoryRecord> {
    return (await this.#send('PUT', MEMORY)) as MemoryRecord;
  }

  /** Throws Refused. */
  async remember(what: Pick<MemoryEntry, 'type' | 'name' | 'value'>): Promise<void> {
    await this.#send('POST', `${MEMORY}/entries`, what);
  }

  /** Throws Refused. */
  async correct(id: string, value: string): Promise<void> {
    await this.#send('PUT', `${MEMORY}/entries/${encodeURIComponent(id)}`, { value });
  }

  /** One thing, or everything with the consent to it. Throws Refused. */
  async forget(id?: string): Promise<void> {
    await this.#send('DELETE', id === undefined ? MEMORY : `${MEMORY}/entries/${encodeURIComponent(id)}`);
  }

  /** What is kept of what whoever asks asked about. Throws Refused. */
  async queries(): Promise<KeptQueries> {
    return (await this.#send('GET', QUERIES)) as KeptQueries;
  }

  /** Throws Refused. */
  async agreeToQueries(): Promise<void> {
    await this.#send('PUT', QUERIES);
  }

  /** With the consent to it. Throws Refused. */
  async eraseQueries(): Promise<void> {
    await this.#send('DELETE', QUERIES);
  }

  /** All that the caller may see, the oldest first, and how many have to approve one. Throws Refused. */
  async tickets(collection: string): Promise<{ approvals: number; tickets: ListedTicket[] }> {
    const tickets: ListedTicket[] = [];
    for (let after = ''; ; ) {
      const page = (await this.#send('GET', `${addressOf(collection, 'tickets')}?limit=1000${after}`)) as {
        approvals: number;
        tickets: ListedTicket[];
        after: number | null;
      };
      tickets.push(...page.tickets);
      if (page.after === null) return { approvals: page.approvals, tickets };
      after = `&after=${page.after}`;
    }
  }

  /** Throws Refused. */
  async ticket(collection: string, id: string): Promise<Ticket> {
    return (await this.#send('GET', addressOf(collection, 'tickets', id))) as Ticket;
  }

  /** Throws Refused. */
  async differences(collection: string, id: string): Promise<Difference[]> {
    const { differences } = (await this.#send('GET', addressOf(collection, 'tickets', id, 'diff'))) as {
      differences: Difference[];
    };
    return differences;
  }

  /** Throws Refused. */
  async proof(collection: string, { id }: Ticket, sha256: string): Promise<Blob> {
    const path = addressOf(collection, 'tickets', String(id), 'proof', sha256);
    const response = await fetch(path, { headers: this.#headers() });
    if (!response.ok) throw new Refused((await response.json()) as Problem);
    return response.blob();
  }

  /** Approves or rejects a ticket as it was looked at. Throws Refused. */
  async review(
    collection: string,
    ticket: Ticket,
    verdict: 'approve' | 'reject',
    because: string,
  ): Promise<void> {
    const review = { verdict, because, version: ticket.version };
    await this.#send('POST', addressOf(collection, 'tickets', String(ticket.id), 'review'), review);
  }

  /** Throws Refused. */
  async step(collection: string, { id }: Ticket, step: TicketAction): Promise<void> {
    await this.#send('POST', addressOf(collection, 'tickets', String(id), step));
  }

  async #send(method: string, path: string, content?: object): Promise<unknown> {
    const response = await fetch(path, {
      method,
      headers: { ...this.#headers(), ...(content && { 'content-type': 'application/json' }) },
      ...(content && { body: JSON.stringify(content) }),
    });
    const body: unknown = await response.json();
    if (!response.ok) throw new Refused(body as Problem);
    return body;
  }

  #headers(): Record<string, string> {
    return this.#key === null ? {} : { authorization: `Bearer ${this.#key}` };
  }
}
