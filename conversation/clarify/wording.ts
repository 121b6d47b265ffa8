import { list, quoted } from '../../common/index.ts';
import { conditionQuestion } from '../history/index.ts';
import type { VariableKind } from './record.ts';

/** The question for a variable: one question mark of ours, options named in it. `conversation/history` reads it back. */
export function wording(kind: VariableKind, variable: string, values: readonly string[]): string {
  const options = list(values.map(quoted), 'or');
  const listed = options === '' ? '' : `: ${options}`;
  switch (kind) {
    case 'identifier':
    case 'term':
      return `The documents do not know ${quoted(variable)}. Did you mean ${options}?`;
    case 'reference':
      return `${/^(?:he|she|him|her|they|them)$/i.test(variable) ? 'Who' : 'What'} does ${quoted(variable)} refer to${listed}?`;
    case 'comparison':
      return `${quoted(variable)} compared with what${listed}?`;
    case 'condition':
      return values.length === 1
        ? conditionQuestion(options)
        : `The answer depends on conditions. Which of these applies: ${options}?`;
    case 'required':
      return `The answer depends on ${quoted(variable)}. What is it${listed}?`;
    case 'modifier':
      return `Which ${variable.toLowerCase()} do you mean${listed}?`;
    case 'aspect':
      return `What about ${quoted(variable)} do you want to know${listed}?`;
    case 'time':
      return `Which time do you mean${listed}?`;
    case 'name':
      return `There is more than one. Do you mean the one to do with ${options}?`;
    case 'where':
      return `Parts of the collection answer this differently. Where should I look${listed}?`;
    case 'subject':
      return `Several documents answer this differently. Which one is it about${listed}?`;
  }
}
