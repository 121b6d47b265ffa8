import { PragauraError } from '../../../common/index.ts';
import { engineIn, nameOf } from '../address.ts';

/** Where a PostgreSQL is, and in which of its schemas indexes lie. */
export interface Address {
  host: string;
  port: number;
  database: string;
  /** Absent: as the client has it of PGUSER, PGPASSWORD and ~/.pgpass. */
  user?: string;
  password?: string;
  /** `false`: in the clear. */
  ssl: false | { rejectUnauthorized: boolean };
  schema: string;
  /** The address without credentials. */
  shown: string;
}

const EXAMPLE =
  'For example --backend pgvector=postgres://USER:PASSWORD@HOST:5432/DATABASE?sslmode=verify-full&schema=pragaura';

/** What a connection makes of certificates, by the names that PostgreSQL's own clients have for it. */
const SSL_MODES = {
  disable: false,
  require: { rejectUnauthorized: false },
  'verify-full': { rejectUnauthorized: true },
} as const;

function wrong(message: string): PragauraError {
  return new PragauraError('USAGE', message, { hint: EXAMPLE });
}

/** "pgvector=postgres://…" as what it says. Throws USAGE, in which no credentials are. */
export function addressFrom(backend: string): Address {
  const { address } = engineIn(backend);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === '') {
    throw wrong('--backend: that is no postgres:// URL.');
  }
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'schema' && name !== 'sslmode');
  if (unknown !== undefined) throw wrong(`--backend: there is no parameter "${unknown}".`);
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decoded);
  if (!database) throw wrong('--backend: the URL ends with the database.');
  const schema = url.searchParams.get('schema') ?? 'pragaura';
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    throw wrong('--backend: schema is a name of small letters, digits and "_", 40 at most.');
  }
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  if (!Object.hasOwn(SSL_MODES, mode)) {
    throw wrong(`--backend: sslmode is one of ${Object.keys(SSL_MODES).join(', ')}.`);
  }
  const port = url.port === '' ? 5_432 : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    ...{ host, port, database, schema, ssl: SSL_MODES[mode as keyof typeof SSL_MODES] },
    ...(user && { user }),
    ...(password && { password }),
    shown: `postgres://${url.hostname}:${port}/${url.pathname.slice(1)}`,
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrong('--backend: a "%" in the URL is written %25.');
  }
}

/** The name of an index there. Throws USAGE. */
export function indexNameOf(index: string): string {
  const name = nameOf(index);
  if (name !== '' && name.length <= 200 && !name.includes('\0')) return name;
  throw new PragauraError('USAGE', 'The index has no name to lie under in PostgreSQL.', {
    hint: 'Name a folder with --out, or the index with --index: at most 200 characters.',
  });
}
