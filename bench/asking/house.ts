/** A made-up house whose documents leave two things open, a plan and a version, and what its users ask and reply. */

/** What a question leaves open. */
export type Piece = 'plan' | 'version';

export const VALUES: Readonly<Record<Piece, readonly string[]>> = {
  plan: ['basic plan', 'gold plan', 'family plan'],
  version: ['v1', 'v2'],
};

export const DOCUMENTS: Readonly<Record<string, string>> = {
  'basic.md':
    '# Basic plan\n\nThe basic plan costs 20 euros a year. It is for people who read in the hall.\n\nWith the basic plan a book is lent for 10 days.\n',
  'gold.md':
    '# Gold plan\n\nThe gold plan costs 45 euros a year. It is for people who take books home.\n\nWith the gold plan a book is lent for 30 days.\n',
  'family.md':
    '# Family plan\n\nThe family plan costs 60 euros a year. Two adults and their children share it.\n\nWith the family plan a book is lent for 21 days.\n',
  'hours.md': '# Opening hours\n\nThe reading hall opens at nine in the morning and closes at six.\n',
  'rules.md':
    '# House rules\n\nWhoever returns a book late pays a fine of 2 euros. Form HR-12 is for lost books, form HR-14 for damaged ones.\n',
  'v1/uploads.md': '# Uploads\n\nAn upload may be 20 megabytes large. Larger files are refused.\n',
  'v1/accounts.md': '# Accounts\n\nAn account is closed after 90 days without a login.\n',
  'v1/passwords.md': '# Passwords\n\nTo reset a password, open the menu Account and choose Reset.\n',
  'v2/uploads.md': '# Uploads\n\nAn upload may be 50 megabytes large. Larger files are refused.\n',
  'v2/files.md':
    '# Files\n\nHow large a file may be: an upload may be 50 megabytes large, whatever its kind.\n',
  'v2/accounts.md': '# Accounts\n\nAn account is closed after 30 days without a login.\n',
  'v2/passwords.md': '# Passwords\n\nTo reset a password, run reset-password on the server and restart it.\n',
  'v2/login.md': '# Login\n\nWhoever cannot log in resets the password: run reset-password on the server.\n',
};

/** What is asked, each in several wordings; `piece` null: nothing is left open, or what no default is learned for. */
export const ASKED: readonly { piece: Piece | null; wordings: readonly string[] }[] = [
  {
    piece: 'plan',
    wordings: [
      'How much does the plan cost a year?',
      'What does the plan cost?',
      'What is the price of the plan per year?',
      'how much is the plan',
    ],
  },
  {
    piece: 'plan',
    wordings: ['How long is a book lent with the plan?', 'For how many days does the plan lend a book?'],
  },
  { piece: 'plan', wordings: ['Who is the plan for?', 'What kind of people is the plan for?'] },
  {
    piece: 'version',
    wordings: ['How large may an upload be?', 'What is the largest size of an upload?', 'upload size limit?'],
  },
  {
    piece: 'version',
    wordings: [
      'When is an account closed?',
      'After how many days without a login is an account closed?',
      'How long until an account is closed?',
    ],
  },
  {
    piece: 'version',
    wordings: [
      'How do I reset a password?',
      'How can a password be reset?',
      'What do I do to reset a password?',
    ],
  },
  { piece: null, wordings: ['When does the reading hall open?', 'When does the hall close?'] },
  { piece: null, wordings: ['How much is the fine for a late book?', 'What does form HR-13 say?', 'Why?'] },
];

/** What people say that answers nothing. */
export const NO_REPLY = ['I do not know.', 'What do you mean?', 'either', 'hm', 'Does it matter?'] as const;

export const REFUSALS = ['no', 'none of them', 'neither'] as const;

/** What people say who want another value than the one that was taken, or name one that they are asked for. */
export const NAMED: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `the ${value}`,
  (value) => `${value} please`,
  (value) => value.toUpperCase(),
];
export const CORRECTED: readonly ((value: string) => string)[] = [
  (value) => `no, ${value}`,
  (value) => `no, ${value} please`,
  (value) => `not that, I mean ${value}`,
  (value) => `${value} instead`,
];
