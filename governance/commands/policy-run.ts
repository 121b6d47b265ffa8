import { z } from 'zod';
import { jsonOf } from '../../cli/index.ts';
import { columns, EXIT, list, PragauraError, parseAs, plainLine, toLine } from '../../common/index.ts';
import {
  ACTIONS,
  fileOf,
  POLICY_SCHEMA,
  type Policy,
  type PolicyAction,
  type Resource,
} from '../policy/index.ts';
import { type Principal, PUBLIC_ROLE } from '../principals/index.ts';
import { labelsOf, openPolicy, type PolicyFileArguments } from './policy-files.ts';

interface FileArguments extends PolicyFileArguments {
  json: boolean;
}

export interface PolicyArguments extends FileArguments {
  tests: string | undefined;
  schema: boolean;
}

export interface ExplainArguments extends FileArguments {
  documents: string[] | undefined;
  index: string | undefined;
  as: string[] | undefined;
  clearance: number;
  action: string;
  documentLabels: string | undefined;
  at: string | undefined;
}

function momentOf(at: string | undefined): Date {
  const moment = at === undefined ? new Date() : new Date(at);
  if (Number.isNaN(moment.getTime())) throw new PragauraError('USAGE', `"${at}" is no date or moment.`);
  return moment;
}

const asking = (roles: readonly string[], id: string, clearance: number): Principal => ({
  id,
  roles: [...new Set([PUBLIC_ROLE, ...roles])],
  via: 'token',
  clearance,
});

const TestDocument = z.strictObject({
  path: z.string(),
  collection: z.string().optional(),
  tags: z.array(z.string()).default([]),
  clearance: z.number().int().optional(),
  validFrom: z.string().optional(),
  validTo: z.string().optional(),
});

const PolicyTest = z
  .strictObject({
    name: z.string(),
    as: z.array(z.string()),
    id: z.string().default('somebody'),
    clearance: z.number().int().min(0).default(0),
    action: z.enum(ACTIONS),
    document: TestDocument.optional(),
    collection: z.string().optional(),
    person: z.string().optional(),
    installation: z.literal(true).optional(),
    at: z.string().optional(),
    allowed: z.boolean(),
  })
  .refine(({ document, collection, person, installation }) => {
    return [document, collection, person, installation].filter((each) => each !== undefined).length === 1;
  }, 'names one of document, collection, person, installation');
type PolicyTest = z.infer<typeof PolicyTest>;

/** What went otherwise than wanted, in words; null: nothing. A request that fails is never what is wanted. */
function failureOf(policy: Policy, test: PolicyTest): string | null {
  const { document, collection, person, installation } = test;
  const resource = Object.entries({ document, collection, person, installation }).find(
    ([, value]) => value !== undefined,
  )!;
  const principal = asking(test.as, test.id, test.clearance);
  const ruling = policy.allows(
    principal,
    test.action,
    Object.fromEntries([resource]) as Resource,
    momentOf(test.at),
  );
  if (ruling.errors.length > 0) return ruling.errors.join('; ');
  if (ruling.allowed === test.allowed) return null;
  return `${ruling.allowed ? 'allowed' : 'denied'}, ${reason(ruling.because)}`;
}

const reason = (because: readonly string[]) =>
  because.length === 0 ? 'no policy permits it' : `by ${list(because, 'and')}`;

export function runCheck(args: PolicyArguments): { text: string; exitCode: number } {
  const policy = openPolicy(args);
  const tests =
    args.tests === undefined
      ? []
      : parseAs(
          z.array(PolicyTest).min(1),
          'See "pragaura policy check --help".',
        )(
          jsonOf(
            args.tests,
            'tests',
            '[{"name": "…", "as": [], "action": "read", "document": {"path": "a"}, "allowed": false}]',
          ),
        );
  const failed = tests.flatMap((test) => {
    const problem = failureOf(policy, test);
    return problem === null ? [] : [{ name: test.name, problem }];
  });
  const exitCode = failed.length === 0 ? EXIT.OK : EXIT.FAILED;
  const { version, policies, everybody } = policy;
  if (args.json) {
    const record = {
      schema: 'pragaura.policy-check/1',
      version,
      policies,
      everybody,
      tests: tests.length,
      failed,
    };
    return { text: toLine(record), exitCode };
  }
  const lines = [
    ...(args.schema ? [POLICY_SCHEMA.trim()] : []),
    `${policies} policies, version ${version}.`,
    ...(everybody.length > 0
      ? [`Everybody is let in by ${list(everybody, 'and')}, which was said twice.`]
      : []),
    ...(tests.length > 0 ? [`${tests.length - failed.length} of ${tests.length} tests hold.`] : []),
    ...failed.map(({ name, problem }) => `FAILED ${name}: ${problem}`),
  ];
  return { text: `${lines.map(args.schema ? (line) => line : plainLine).join('\n')}\n`, exitCode };
}

/** Throws USAGE, NOT_FOUND, POLICY_UNUSABLE and INDEX_UNUSABLE. */
export async function runExplain(args: ExplainArguments): Promise<string> {
  const action = ACTIONS.slice(0, 6).find((known) => known === args.action);
  if (action === undefined) {
    throw new PragauraError('USAGE', `Nobody can ${JSON.stringify(args.action)} a document.`, {
      hint: `To documents one can ${list(ACTIONS.slice(0, 6), 'or')}.`,
    });
  }
  const policy = openPolicy(args);
  const of = labelsOf(args.documentLabels);
  const now = momentOf(args.at);
  const named = (args.documents ?? []).map((path) => ({ path, file: path }));
  const paths = [...named, ...(args.index === undefined ? [] : await pathsOf(args.index))];
  if (paths.length === 0)
    throw new PragauraError('USAGE', 'Which documents? Name some, or an index with --index.');
  const principal = asking(args.as ?? [], 'somebody', args.clearance);
  const rows = paths.map(({ path, file }) => ({
    path,
    ...policy.allows(principal, action as PolicyAction, { document: of(path, file) }, now),
  }));
  if (args.json)
    return rows.map((row) => toLine({ schema: 'pragaura.policy-ruling/1', action, ...row })).join('');
  const cells = rows.map(({ path, allowed, because, errors }) => [
    allowed ? 'yes' : 'no',
    plainLine(path),
    plainLine(errors.length > 0 ? errors.join('; ') : reason(because)),
  ]);
  const allowed = rows.filter((row) => row.allowed).length;
  const who = list(principal.roles, 'and');
  return `${columns(cells, () => true).join('\n')}\n${plainLine(who)} may ${action} ${allowed} of ${rows.length}.\n`;
}

async function pathsOf(dir: string): Promise<{ path: string; file: string | undefined }[]> {
  const { openIndex } = await import('../../corpus/index.ts');
  const { documents } = await openIndex(dir);
  return documents.map(({ docId, source }) => ({ path: docId, file: fileOf({ source }) }));
}
