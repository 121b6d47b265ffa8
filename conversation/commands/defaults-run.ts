/** What `pragaura defaults` prints. */
import { PragauraError, plainLine, table } from '../../common/index.ts';
import {
  type ClarificationDefault,
  type DefaultsStore,
  openDefaults,
  type Stratum,
} from '../defaults/index.ts';

const DAY_MS = 86_400_000;

interface Common {
  store: string;
  tenant: string | undefined;
  json: boolean;
  /** By which rule gates are shown, and defaults told apart. */
  firstDefault?: number | undefined;
}

function opened({
  store: file,
  firstDefault,
}: Pick<Common, 'store' | 'firstDefault'>): Promise<DefaultsStore> {
  return openDefaults({ file, ...(firstDefault !== undefined && { settings: { firstDefault } }) });
}

async function withStore<T>(
  args: Pick<Common, 'store' | 'firstDefault'>,
  work: (store: DefaultsStore) => T,
): Promise<T> {
  const store = await opened(args);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

const GATE = { ask: 'asks', suggest: 'proposes', apply: 'applies' } as const;

const conditionsOf = (stratum: Stratum) =>
  stratum.map(([name, value]) => (value === null ? `no ${name}` : `${name} = ${value}`)).join(', ');

function rowOf(one: ClarificationDefault): string[] {
  return [
    one.id,
    one.tenant,
    one.scope === '' ? one.field : `${one.field} (${one.scope})`,
    conditionsOf(one.conditions),
    one.value ?? '–',
    GATE[one.gate],
    one.confidence.toFixed(2),
    String(one.sampleSize),
    one.lastRefreshed?.slice(0, 10) ?? '–',
  ].map(plainLine);
}

const HEAD = ['id', 'tenant', 'field', 'where', 'value', 'does', 'confidence', 'votes', 'last'];

const lines = (records: readonly unknown[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');

export function runList({ tenant, json, ...args }: Common, now: number): Promise<string> {
  return withStore(args, (store) => {
    const defaults = store.list(tenant, now);
    if (json) return lines(defaults);
    return defaults.length === 0 ? 'Nothing was learned yet.\n' : `${table(HEAD, defaults.map(rowOf))}\n`;
  });
}

function unknownId(id: string): PragauraError {
  return new PragauraError('NOT_FOUND', `There is no default ${plainLine(id)}.`, {
    hint: '"pragaura defaults list" names them. An id changes when a default is divided by a condition.',
  });
}

/** What an entry of the trail says. */
function saidIn(record: { sentence?: string; votes?: number } | null): string {
  if (record === null) return 'what it said was forgotten';
  return record.sentence ?? `${record.votes} votes forgotten`;
}

/** @throws NOT_FOUND for an id that there is not */
export function runShow(
  { tenant, json, id, ...args }: Common & { id: string },
  now: number,
): Promise<string> {
  return withStore(args, (store) => {
    const found = store.show(id, tenant, now);
    if (found === null) throw unknownId(id);
    if (json) return lines([{ schema: 'pragaura.default-history/1', ...found }]);
    const votes = found.votes.map((vote) => [
      new Date(vote.at).toISOString(),
      vote.signal,
      vote.value,
      conditionsOf(vote.conditions),
    ]);
    const uses = found.audit.map(({ at, kind, query, record }) => [
      new Date(at).toISOString(),
      kind,
      query ?? '–',
      saidIn(record as { sentence?: string; votes?: number } | null),
    ]);
    const parts = [
      table(HEAD, [rowOf(found.default)]),
      table(
        ['value', 'for', 'against'],
        found.default.votes.map((one) => [plainLine(one.value), one.for.toFixed(2), one.against.toFixed(2)]),
      ),
      table(
        ['when', 'signal', 'value', 'conditions'],
        votes.map((row) => row.map(plainLine)),
      ),
      ...(uses.length === 0
        ? []
        : [
            table(
              ['when', 'what', 'query', 'why'],
              uses.map((row) => row.map(plainLine)),
            ),
          ]),
    ];
    return `${parts.join('\n\n')}\n`;
  });
}

/** @throws NOT_FOUND where nothing fits */
export function runForget(
  args: Common & {
    tenant: string;
    ids: string[] | undefined;
    all: boolean;
    olderThan: number | undefined;
    trail: boolean;
  },
  now: number,
): Promise<string> {
  return withStore(args, (store) => {
    const forgotten = store.forget(
      {
        tenant: args.tenant,
        audit: args.trail,
        ...(args.all ? {} : { ids: args.ids ?? [] }),
        ...(args.olderThan === undefined ? {} : { before: now - args.olderThan * DAY_MS }),
      },
      now,
    );
    const missing = args.all ? undefined : args.ids?.find((id) => !forgotten.has(id));
    if (missing !== undefined && args.olderThan === undefined) throw unknownId(missing);
    if (forgotten.size === 0) throw new PragauraError('EMPTY_INPUT', 'There was nothing to forget.');
    const records = [...forgotten].map(([id, votes]) => ({ schema: 'pragaura.forgotten/1', id, votes }));
    if (args.json) return lines(records);
    return records
      .map(({ id, votes }) => `${id === '*' ? plainLine(args.tenant) : id}: ${votes} votes forgotten\n`)
      .join('');
  });
}

/** Votes, then the audit trail, a JSON object a line. */
export async function* exported({ tenant, ...args }: Common): AsyncGenerator<string> {
  const store = await opened(args);
  try {
    for (const vote of store.votes(tenant))
      yield `${JSON.stringify({ schema: 'pragaura.default-vote/1', ...vote })}\n`;
    for (const entry of store.trail(tenant)) {
      yield `${JSON.stringify({ schema: 'pragaura.default-audit/1', ...entry })}\n`;
    }
  } finally {
    store.close();
  }
}
