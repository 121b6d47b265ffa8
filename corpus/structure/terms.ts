/** Longer than this a term is a sentence. */
const MAX_TERM = 200;
/** A term has few names; more than these are an enumeration. */
const MAX_KEYS = 24;

const MARKS = String.raw`[\s"'“”‘’«»\x60.,;:!?*_]`;
const AROUND = new RegExp(`^${MARKS}+|${MARKS}+$`, 'gu');
/** What documentation generators write before the name of what they define. */
const ROLE =
  /^(?:(?:abstract|async|static|final|class|exception|function|method|property|classmethod|staticmethod|abstractmethod|coroutine|decorator|data|type|enum|interface|struct|macro|variable|option|command) )+(?=\S)/;
const CATEGORY = /^[\p{Lu}][\p{L} ]{2,30}: +(?=\S)/u;

const CODE = /^(\p{Lu}{1,3}) ([\p{Lu}_]{4,})$/u;

/** A code and what it stands for, whose letters it has, the first one first: "CG COMPLETING". Null where a name is none. */
export function codeIn(name: string): { code: string; meaning: string } | null {
  const [, code, meaning] = CODE.exec(name.trim()) ?? [];
  if (code === undefined || meaning === undefined || code[0] !== meaning[0]) return null;
  let at = -1;
  for (const letter of code) {
    at = meaning.indexOf(letter, at + 1);
    if (at === -1) return null;
  }
  return { code, meaning };
}

const NUMBERED = /^(\p{L}{1,12}) (\d{1,4})$/u;

/** A word with a number behind it as one word, because "RAID 1" is also written "RAID1"; other names as they are. */
export function asOneWord(name: string): string {
  return name.replace(NUMBERED, '$1$2');
}

function stripped(text: string): string {
  const bare = text.replace(AROUND, '');
  // A mark that is all there is ("?", "*") is the term.
  return bare === '' ? text.trim() : bare;
}

/** Without what follows a name: "=VALUE", "[=when]", "<file>", "(a, b)", and behind an option or command its arguments. */
function withoutTail(name: string): string {
  const cut = name.search(/[=([{<]|:=/);
  const head = cut > 0 ? name.slice(0, cut) : name;
  const words = head.trim().split(' ');
  return stripped(words[0]!.startsWith('-') ? words[0]! : head);
}

/** The alternatives of a term, parted by commas, "or", "and", bars and slashes outside of brackets. */
export function alternatives(text: string): string[] {
  let depth = 0;
  let masked = /[([{<]/.test(text) ? '' : text;
  for (const char of masked === '' ? text : '') {
    if ('([{<'.includes(char)) depth += 1;
    masked += depth > 0 ? '\0'.repeat(char.length) : char;
    if (')]}>'.includes(char)) depth = Math.max(0, depth - 1);
  }
  const found: string[] = [];
  let from = 0;
  for (const mark of masked.matchAll(/,\s|\s(?:or|and|[|/])\s/g)) {
    found.push(text.slice(from, mark.index));
    from = mark.index + mark[0].length;
  }
  return [...found, text.slice(from)];
}

/** "--[no-]rebase" is "--rebase" and "--no-rebase". */
function optional(name: string): string[] {
  const match = /^(-{1,2})\[(no-?)\](.+)$/i.exec(name);
  return match === null ? [name] : [`${match[1]}${match[3]}`, `${match[1]}${match[2]}${match[3]}`];
}

function withoutDashes(name: string): string {
  const bare = name.replace(/^-+/, '');
  return bare === '' ? name : bare;
}

/**
 * The names under which a term is looked up, without regard to case, marks around it, leading dashes, and what
 * follows it as its arguments or value, and of a word with a number also as one: "-n <number>, --max-count=<number>"
 * gives "-n <number>, --max-count=<number>", "n" and "max-count". None for what is too long to be a term.
 */
export function termKeys(term: string): string[] {
  const raw = term.normalize('NFKC').replace(/\s+/g, ' ').trim();
  const folded = raw.toLowerCase();
  if (folded === '' || folded.length > MAX_TERM) return [];
  const keys = new Set<string>();
  const add = (name: string) => {
    const key = withoutDashes(stripped(name).replace(/^<([^<>]+)>$/, '$1'));
    // A variable is written with its mark or without: "$PATH".
    for (const each of [key, asOneWord(key), key.replace(/^\$(?=\p{L})/u, '')]) {
      if (each !== '' && keys.size < MAX_KEYS) keys.add(each);
    }
  };
  add(folded);
  const coded = codeIn(raw);
  if (coded !== null) for (const name of [coded.code, coded.meaning]) add(name.toLowerCase());
  const category = CATEGORY.exec(raw);
  const named = category === null ? folded : folded.slice(category[0].length);
  for (const part of [named, ...alternatives(named)]) {
    for (const name of optional(part.trim().replace(ROLE, ''))) {
      add(name);
      const head = withoutTail(name);
      add(head);
      // A function is also called by its name within its class or module.
      if (name.startsWith('(', head.length)) add(head.slice(head.lastIndexOf('.') + 1));
    }
  }
  return [...keys];
}

/** Whether one of a term's alternatives is written like this, case and dashes included, arguments and values aside. */
export function writtenAs(term: string | null, wanted: string): boolean {
  if (term === null) return false;
  const plain = stripped(wanted.replace(/\s+/g, ' '));
  return alternatives(term).some((part) =>
    optional(part.trim()).some((name) => name === plain || withoutTail(name) === plain),
  );
}

const NUMBER =
  /^(?:(?:chapter|section|appendix|part)\s+[\dA-Z]{1,3}(?:\.\d{1,3})*|\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+)[.:)]?\s+(?=\S)/iu;

/** The name of a section without its number, which is no part of it: "3.1.2 Quoting", "Appendix B Differences". */
export function withoutNumber(heading: string): string {
  return heading.replace(NUMBER, '');
}
