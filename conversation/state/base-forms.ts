/** What an English word may be a form of, by compromise's lists of irregular forms and rules. */
import { createRequire } from 'node:module';

interface Transform {
  verb: { toInfinitive(word: string, model: unknown, tense: 'PastTense' | 'Participle'): string };
  noun: { toSingular(word: string, model: unknown): string };
}
interface Compromise {
  model(): unknown;
  methods(): { two: { transform: Transform } };
}

let library: Compromise | undefined;

/** "kept" may be of "keep", "mice" of "mouse": the forms that a word in small letters may be of, itself not among them. */
export function baseForms(word: string): string[] {
  library ??= createRequire(import.meta.url)('compromise/two') as Compromise;
  const model = library.model();
  const { verb, noun } = library.methods().two.transform;
  const forms = [
    verb.toInfinitive(word, model, 'PastTense'),
    verb.toInfinitive(word, model, 'Participle'),
    noun.toSingular(word, model),
  ];
  return [...new Set(forms)].filter((form) => form !== word && form !== '');
}
