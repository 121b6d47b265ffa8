import type { Argv, CommandModule } from 'yargs';
import {
  AUDIT_KEY_OPTION,
  AUDIT_OPTION,
  POLICY_OPTIONS,
  PRINCIPAL_OPTIONS,
  wholeNumber,
} from '../../cli/index.ts';
import type { ApproveArguments, ReviewArguments } from './policy-review-run.ts';
import type { ExplainArguments, PolicyArguments } from './policy-run.ts';

const options = (parser: Argv) =>
  parser
    .option('policy-file', {
      ...POLICY_OPTIONS['policy-file'],
      demandOption: 'Which policy? Say --policy-file FILE.',
    })
    .option('everybody', POLICY_OPTIONS.everybody)
    .option('json', { type: 'boolean', default: false, describe: 'Print JSON, one record a line' });

const check: CommandModule<object, PolicyArguments> = {
  command: 'check',
  describe: 'Whether a policy file can be used, and what its version is',
  builder: (parser) =>
    parser
      .option('tests', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'JSON file of requests with the answer that each must get',
      })
      .option('schema', { type: 'boolean', default: false, describe: 'Print what policies can be about' })
      .usage('Usage: $0 policy check --policy-file FILE')
      .example([
        ['$0 policy check --policy-file policy.cedar', 'Does it parse, fit, and keep strangers out?'],
        [
          '$0 policy check --policy-file policy.cedar --tests policy-tests.json',
          'Does it say what is meant?',
        ],
      ])
      .epilogue(
        'Tests: [{"name", "as": [roles], "id"?, "clearance"?, "action", "document" | "collection" | "person" | "installation",\n' +
          '"at"?, "allowed": true or false}]; a document is {"path", "collection"?, "tags"?, "clearance"?, …}. Exit code 1: a\n' +
          'test did not get its answer. 78: the file cannot be used.',
      ) as never,
  handler: async (args) => {
    const { runCheck } = await import('./policy-run.ts');
    const { text, exitCode } = runCheck(args);
    process.stdout.write(text);
    process.exitCode = exitCode;
  },
};

const explain: CommandModule<object, ExplainArguments> = {
  command: 'explain [documents..]',
  describe: 'What a role may do to which documents, and by which policy',
  builder: (parser) =>
    parser
      .positional('documents', {
        type: 'string',
        array: true,
        describe: 'Paths of documents, whether they exist or not',
      })
      .option('index', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'Index folder: all of its documents',
      })
      .option('as', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'Roles [default: public alone]',
      })
      .option('clearance', {
        type: 'number',
        requiresArg: true,
        default: 0,
        coerce: wholeNumber('clearance', 0, Number.MAX_SAFE_INTEGER),
        describe: 'Clearance',
      })
      .option('action', {
        type: 'string',
        requiresArg: true,
        default: 'read',
        describe: 'What is to be done',
      })
      .option('document-labels', POLICY_OPTIONS['document-labels'])
      .option('at', { type: 'string', requiresArg: true, describe: 'Date or moment [default: now]' })
      .usage('Usage: $0 policy explain --as ROLE --policy-file FILE')
      .example([
        [
          '$0 policy explain hr/pay.md --as staff --policy-file policy.cedar --document-labels labels.json',
          'One document',
        ],
        ['$0 policy explain --index my-index --as staff --policy-file policy.cedar', 'All of an index'],
      ]) as never,
  handler: async (args) => {
    const { runExplain } = await import('./policy-run.ts');
    process.stdout.write(await runExplain(args));
  },
};

const review = (parser: Argv) =>
  parser
    .options(PRINCIPAL_OPTIONS)
    .option('audit', { ...AUDIT_OPTION, demandOption: 'Who did what stands on a log: say --audit FILE.' })
    .option('audit-key', AUDIT_KEY_OPTION)
    .option('in-force', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe:
        'The policy whose place it takes, by which is ruled who may administer [default: it is the first]',
    });

const REVIEW =
  'A review lies beside the policy (FILE.review.json), signed with the key of the log. Two have to approve, neither of them\n' +
  'the proposer, each of whom the policy in force lets "administer". --reviewed-by of what goes by a policy refuses one\n' +
  'that was not reviewed, or was changed since.';

const propose: CommandModule<object, ReviewArguments> = {
  command: 'propose',
  describe: 'Propose a policy, for others to look at before it holds',
  builder: (parser) =>
    review(parser as Argv)
      .usage('Usage: $0 policy propose --policy-file FILE --audit FILE')
      .example([
        [
          '$0 policy propose --policy-file new.cedar --in-force policy.cedar --audit audit.log …',
          'Another in the place of one that holds',
        ],
      ])
      .epilogue(REVIEW) as never,
  handler: async (args) => {
    const { runPropose } = await import('./policy-review-run.ts');
    process.stdout.write(await runPropose(args));
  },
};

const approve: CommandModule<object, ApproveArguments> = {
  command: 'approve',
  describe: 'Approve a policy that somebody else proposed',
  builder: (parser) =>
    review(parser as Argv)
      .option('because', {
        type: 'string',
        requiresArg: true,
        demandOption: 'Why? Say --because "…".',
        describe: 'Why it is right',
      })
      .usage('Usage: $0 policy approve --policy-file FILE --audit FILE --because TEXT')
      .example([
        [
          '$0 policy approve --policy-file new.cedar --in-force policy.cedar --audit audit.log --because "As agreed" …',
          'One of two who have to',
        ],
        ['$0 audit keys --audit audit.log > log.pub', 'What --reviewed-by takes'],
      ])
      .epilogue(REVIEW) as never,
  handler: async (args) => {
    const { runApprove } = await import('./policy-review-run.ts');
    process.stdout.write(await runApprove(args));
  },
};

export const policyCommand: CommandModule = {
  builder: (parser) =>
    options(parser)
      .command(check as unknown as CommandModule)
      .command(explain as unknown as CommandModule)
      .command(propose as unknown as CommandModule)
      .command(approve as unknown as CommandModule)
      .demandCommand(1, 'check, explain, propose or approve?'),
  handler() {},
};
