/** How fenced code begins; what goes on in its line with such marks is code within a line. */
export const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;

/** Whether a line ends the code that `fence` began. */
export function endsCode(line: string, fence: string): boolean {
  const bare = line.trim();
  return bare.startsWith(fence) && /^(?:`+|~+)$/.test(bare);
}
