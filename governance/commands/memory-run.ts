import { columns, PragauraError, plainLine, toLine } from '../../common/index.ts';
import { Memory, type MemoryEntry, type MemoryRecord } from '../memory/index.ts';
import type { Principal } from '../principals/index.ts';
import { QueryLog } from '../queries/index.ts';
import { logFrom } from './audit-run.ts';
import { openPolicy } from './policy-files.ts';
import { type PrincipalArguments, principalFrom } from './principal-options.ts';

export interface MemoryArguments extends PrincipalArguments {
  memory: string;
  memoryKey: string | undefined;
  of: string | undefined;
  policyFile: string | undefined;
  reviewedBy: string | undefined;
  everybody: boolean;
  audit: string | undefined;
  auditKey: string | undefined;
  queryLog: string | undefined;
  id?: string | undefined;
  name?: string | undefined;
  value?: string | undefined;
}

export interface RememberArguments extends MemoryArguments {
  type: 'fact' | 'preference';
  days: number | undefined;
}

/** What one thing to do says on standard output; its audit detail holds no words of the person. */
interface Done {
  text: string;
  detail: Record<string, string | number | boolean>;
}

/** Throws as `Memory`, `principalFrom` and the log do, USAGE, and NOT_PERMITTED where the policy does not permit it. */
export async function runMemory(verb: string, args: MemoryArguments): Promise<string> {
  const log = await logFrom(args);
  try {
    const asking = await principalFrom(args, log);
    const who = personOf(args, asking);
    const memory = Memory.open(args.memory, args.memoryKey);
    const { clearance: _, ...by } = asking;
    const about = who.id;
    // What happens to a person's memory is on record before it does; looking is recorded too.
    await log?.append({ kind: `memory.${verb}`, by, about, detail: { step: 'begun' } });
    const { text, detail } = done(verb, memory, who, args);
    if (verb === 'erase' && args.queryLog !== undefined)
      detail.queries = await erasedQueries(args.queryLog, who);
    await log?.append({ kind: `memory.${verb}`, by, about, detail: { step: 'done', ...detail } });
    return text;
  } finally {
    await log?.close();
  }
}

/** What is kept of what a person asked about goes with them. */
async function erasedQueries(file: string, who: Principal): Promise<number> {
  const log = await QueryLog.open({ file });
  try {
    return log.erase(who);
  } finally {
    log.close();
  }
}

/** Whose memory it is: one's own, or somebody's whose the policy lets one see. */
function personOf({ of, policyFile, everybody, reviewedBy }: MemoryArguments, asking: Principal): Principal {
  const who: Principal = of === undefined ? asking : { id: of, roles: [], via: 'token', clearance: 0 };
  if (policyFile === undefined) {
    if (of === undefined) return who;
    throw new PragauraError(
      'USAGE',
      'Whose memory may be seen by others is for a policy to say: --policy-file FILE.',
    );
  }
  const ruling = openPolicy({ policyFile, everybody, reviewedBy }).allows(
    asking,
    'memory',
    { person: who.id },
    new Date(),
  );
  if (ruling.allowed) return who;
  throw new PragauraError('NOT_PERMITTED', `The policy does not let ${asking.id} look into this memory.`, {
    hint: 'It would have to permit the action "memory".',
  });
}

function done(verb: string, memory: Memory, who: Principal, args: MemoryArguments): Done {
  switch (verb) {
    case 'consent': {
      const { consent } = memory.consent(who);
      return { text: `${plainLine(who.id)} has agreed to being remembered, since ${consent}.\n`, detail: {} };
    }
    case 'remember': {
      const { name, value, type, days } = args as RememberArguments;
      const what = { type, name: name!, value: value!, ...(days !== undefined && { days }) };
      const entry = memory.remember(who, what);
      return { text: `${line(entry)}\n`, detail: { id: entry.id, type } };
    }
    case 'correct': {
      const entry = memory.correct(who, args.id!, args.value!);
      return { text: `${line(entry)}\n`, detail: { id: entry.id } };
    }
    case 'forget':
      memory.forget(who, args.id!);
      return { text: 'Forgotten.\n', detail: { id: args.id! } };
    case 'erase': {
      const erased = memory.erase(who);
      return {
        text: erased
          ? 'Nothing is remembered any more; the key to it is destroyed.\n'
          : 'Nothing was remembered.\n',
        detail: { erased },
      };
    }
    default: {
      const record = memory.of(who);
      const detail = { entries: record?.entries.length ?? 0 };
      return { text: verb === 'export' ? exported(record) : listed(record), detail };
    }
  }
}

function exported(record: MemoryRecord | null): string {
  if (record !== null) return toLine(record);
  throw new PragauraError('NOT_FOUND', 'Nothing is remembered.', { hint: 'pragaura memory consent' });
}

function listed(record: MemoryRecord | null): string {
  if (record === null) return 'Nothing is remembered, and nothing will be until "pragaura memory consent".\n';
  const rows = record.entries.map((entry) => {
    const { id, type, name, value, until } = entry;
    return [id, type, plainLine(name), plainLine(value), until === null ? '' : `until ${until.slice(0, 10)}`];
  });
  const lines = columns(rows, () => true).map((row) => row.trimEnd());
  return `${[`Since ${record.consent}, ${record.entries.length} remembered.`, ...lines].join('\n')}\n`;
}

const line = ({ id, type, name, value }: MemoryEntry) => plainLine(`${id}  ${type}  ${name}  ${value}`);
