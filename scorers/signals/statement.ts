/** The question with its answer as a claim: `toStatement('Who wrote Dune?', 'Frank Herbert')`. */
export function toStatement(question: string, answer: string): string {
  return `${question} ${answer}`;
}
