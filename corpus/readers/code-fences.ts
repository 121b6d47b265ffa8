/** The marks of a fence; what goes on in its line with back ticks is code within a line. */
const MARKS = '(`{3,}(?!.*`)|~{3,})';
/** How fenced code begins. */
export const FENCE = new RegExp(`^ {0,3}${MARKS}`);
/** The same behind the marks of quotations and of an item. */
export const NESTED_FENCE = new RegExp(`^[ >]{0,12}(?:[-*+][ \\t]+)?${MARKS}`);

/** Whether a line ends the code that `fence` began. */
export function endsCode(line: string, fence: string): boolean {
  const bare = line.trim();
  return bare.startsWith(fence) && /^(?:`+|~+)$/.test(bare);
}
