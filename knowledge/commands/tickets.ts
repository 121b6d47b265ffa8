/** What people do with tickets. */
import type { Argv, CommandModule } from 'yargs';
import { scorerOptions, wholeNumber } from '../../cli/index.ts';
import { GOVERNED, TICKET_OPTION } from './governed-options.ts';
import type * as run from './tickets-run.ts';

type Run = typeof run;
type Verb = { [K in keyof Run]: K extends `run${string}` ? K : never }[keyof Run];

interface Command {
  command: string;
  describe: string;
  run: Verb;
  options?: (parser: Argv) => Argv;
  examples: [string, string][];
  epilogue?: string;
}

function commandOf({ command, describe, run: verb, options, examples, epilogue }: Command): CommandModule {
  return {
    command,
    describe,
    builder: (parser) => {
      const own = (options ?? ((each: Argv) => each))(parser as Argv)
        .options(GOVERNED)
        .usage(
          `Usage: $0 knowledge ${command.replace(/<(\w+)>/g, (_, name: string) => name.toUpperCase())} --index DIR`,
        )
        .example(examples.map(([line, why]) => [`$0 knowledge ${line}`, why]));
      return epilogue === undefined ? own : own.epilogue(epilogue);
    },
    handler: async (args) => {
      const commands = await import('./tickets-run.ts');
      process.stdout.write(await (commands[verb] as (given: unknown) => Promise<string>)(args));
    },
  };
}

const id = (parser: Argv) =>
  parser.positional('id', {
    type: 'number',
    coerce: wholeNumber('id', 1, Number.MAX_SAFE_INTEGER),
    demandOption: true,
    describe: 'Number of the ticket',
  }) as Argv;

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const texts = (describe: string) => ({ ...text(describe), array: true }) as const;

const COMMANDS: Command[] = [
  {
    command: 'propose [files..]',
    describe: 'Propose another text for documents, or that they go',
    run: 'runPropose',
    options: (parser) =>
      parser
        .positional('files', {
          type: 'string',
          array: true,
          default: [],
          describe: 'Documents as they are to be; their path, seen from here, is their id',
        })
        .option('claim', text('What is so, in a sentence'))
        .option(
          'decision',
          text(
            'A decision on a claim, as "ask --json" prints it ("-": standard input): its claim, and what it quotes, as a draft',
          ),
        )
        .option('as', text('Id in the index of the one file that is proposed'))
        .option('remove', texts('Ids of documents that are to go'))
        .option('proof', texts('Files that bear the claim out: they are kept with the ticket'))
        .option('about', texts('Ids of documents that a claim is about, where no text is proposed yet'))
        .option('valid-from', text('Day or moment before which nothing of it is in the index (UTC)'))
        .option('valid-to', text('Day or moment from which on it is taken out again (UTC)'))
        .option('ticket', {
          ...TICKET_OPTION,
          describe: 'A draft, or a ticket in conflict, that gets this text',
        })
        .option('draft', { type: 'boolean', default: false, describe: 'Leave it a draft' }) as Argv,
    examples: [
      [
        'propose docs/deadline.md --claim "The deadline is June 7" --proof letter.pdf --index my-index',
        'Another text for a document',
      ],
      [
        'propose --decision decision.json --index my-index',
        'What somebody said in a conversation, once they agree',
      ],
      ['propose --remove docs/old.md --claim "The old rules are void" --index my-index', 'A document less'],
    ],
    epilogue:
      'Nothing is changed by a proposal: others measure it (triage), approve it (review) and apply it. Who may do what is for\n' +
      '--policy-file to say; nobody approves what they proposed.',
  },
  {
    command: 'submit <id>',
    describe: 'Ask others to look at a draft',
    run: 'runSubmit',
    options: id,
    examples: [['submit 7 --index my-index', 'From now on it is for others to decide']],
  },
  {
    command: 'withdraw <id>',
    describe: 'Take a proposal of your own back',
    run: 'runWithdraw',
    options: id,
    examples: [['withdraw 7 --index my-index', 'It is over']],
  },
  {
    command: 'list',
    describe: 'Tickets that you may see',
    run: 'runList',
    options: (parser) => parser.option('state', texts('Of these states alone')) as Argv,
    examples: [['list --state SUBMITTED --index my-index', 'What waits for a first look']],
  },
  {
    command: 'show <id>',
    describe: 'A ticket, with what was measured and what became of it',
    run: 'runShow',
    options: id,
    examples: [['show 7 --index my-index', 'Everything about it']],
  },
  {
    command: 'diff <id>',
    describe: 'Old and new text of its documents, sentence by sentence',
    run: 'runDiff',
    options: id,
    examples: [['diff 7 --index my-index', 'What would stand there']],
  },
  {
    command: 'passages <document>',
    describe: 'Where each passage of a document comes from, when it holds, and how it stands',
    run: 'runPassages',
    options: (parser) =>
      parser.positional('document', {
        type: 'string',
        demandOption: true,
        describe: 'Id of the document',
      }) as Argv,
    examples: [
      ['passages docs/deadline.md --index my-index', 'All that stands there, stood, and is to stand'],
    ],
    epilogue:
      'ACTIVE: in the index. PROPOSED: somebody wants it there. EMBARGOED: approved for later. WITHDRAWN: taken back, rejected, or\n' +
      'valid no longer. DEPRECATED: replaced, and a generation that is kept has it. ERASED: replaced, and none has it.',
  },
  {
    command: 'triage <id>',
    describe: 'Measure what a change would do',
    run: 'runTriage',
    options: (parser) =>
      scorerOptions(
        id(parser).option(
          'questions',
          text('NDJSON of queries that are asked before and after, beside the canaries'),
        ),
      ) as unknown as Argv,
    examples: [['triage 7 --questions last-week.ndjson --index my-index', 'Which decisions would change']],
    epilogue:
      'Trust (of the proof, the proposer, the provenance), contradictions with what the documents say, passages that go and\n' +
      'come, and decisions that would come out otherwise. It decides nothing.',
  },
  {
    command: 'review <id>',
    describe: 'Approve or reject',
    run: 'runReview',
    options: (parser) =>
      scorerOptions(
        id(parser)
          .option('approve', { type: 'boolean', default: false, describe: 'It is right' })
          .option('reject', { type: 'boolean', default: false, describe: 'It is not' })
          .option('because', text('Why')),
      ) as unknown as Argv,
    examples: [
      ['review 7 --approve --because "Checked with the registry" --index my-index', 'One approval'],
      ['review 7 --reject --because "The letter is of last year" --index my-index', 'It is over'],
    ],
  },
  {
    command: 'schedule <id>',
    describe: 'An embargo: apply it from some moment on',
    run: 'runSchedule',
    options: (parser) =>
      id(parser).option('at', {
        ...text('Day or moment (UTC)'),
        demandOption: 'From when on? Say --at.',
      }) as Argv,
    examples: [['schedule 7 --at 2027-01-01 --index my-index', 'Not before the new year']],
  },
  {
    command: 'apply [id]',
    describe: 'Make an approved change, or all that are due',
    run: 'runApply',
    options: (parser) =>
      scorerOptions(
        parser
          .positional('id', {
            type: 'number',
            coerce: wholeNumber('id', 1, Number.MAX_SAFE_INTEGER),
            describe: 'Number of the ticket',
          })
          .option('due', {
            type: 'boolean',
            default: false,
            describe: 'Those whose embargo is over, those that were interrupted, and what is valid no longer',
          }),
      ) as unknown as Argv,
    examples: [
      ['apply 7 --index my-index', 'It is in the index, or the index is as it was'],
      ['apply --due --index my-index', 'For a timer'],
    ],
    epilogue:
      'A generation with the change is written, looked at (nothing else changed, the new text is found, canaries come out as\n' +
      'approved) and becomes the index from one moment to the next. What was killed on the way goes on with the same command.',
  },
  {
    command: 'canaries [file]',
    describe:
      'Questions that are asked of every generation before it becomes the index (for who may administer)',
    run: 'runCanaries',
    options: (parser) =>
      parser.positional('file', {
        type: 'string',
        describe:
          'NDJSON: queries, with "expect" where something has to come of them; left out: prints those that there are',
      }) as Argv,
    examples: [['canaries canaries.ndjson --index my-index', 'In the place of those that there were']],
  },
  {
    command: 'approvals [count]',
    describe: 'How many have to approve',
    run: 'runApprovals',
    options: (parser) =>
      parser.positional('count', {
        type: 'number',
        coerce: wholeNumber('count', 1, 9),
        describe: 'People; left out: prints how many',
      }) as Argv,
    examples: [['approvals 1 --index my-index --trust-local', 'One is enough']],
  },
];

export const TICKET_COMMANDS = COMMANDS.map(commandOf);
