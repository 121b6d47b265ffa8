import type { DefaultTreeAdapterMap } from 'parse5';

export type Node = DefaultTreeAdapterMap['node'];
export type Element = DefaultTreeAdapterMap['element'];

const SKIPPED = new Set(
  'audio button canvas datalist dialog embed form iframe map math nav noscript object script select style svg template textarea video'.split(
    ' ',
  ),
);

export function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

export function children(node: Node): Node[] {
  return 'childNodes' in node ? node.childNodes : [];
}

/** All text below a node. */
export function textBelow(node: Node): string {
  const parts: string[] = [];
  const stack: Node[] = [node];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if ('value' in at) parts.push(at.value);
    for (const child of children(at).toReversed()) stack.push(child);
  }
  return parts.join('');
}

export function isSkipped(node: Element): boolean {
  return SKIPPED.has(node.tagName) || node.attrs.some(({ name }) => name === 'hidden');
}
