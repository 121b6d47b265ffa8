import type { Concept } from './types.ts';

type Node = Pick<Concept, 'id' | 'label' | 'broader'>;

/**
 * Circles in "is broader than": the label of one member of each group of concepts that lie above each other, or above
 * themselves. Tarjan's strongly connected components without recursion, linear in concepts and links.
 */
export function findLoops(concepts: readonly Node[]): string[] {
  const place = new Map(concepts.map(({ id }, i) => [id, i]));
  const order = new Int32Array(concepts.length).fill(-1);
  const low = new Int32Array(concepts.length);
  const open = new Uint8Array(concepts.length);
  const stack: number[] = [];
  const loops: string[] = [];
  let next = 0;
  for (let root = 0; root < concepts.length; root += 1) {
    if (order[root] !== -1) continue;
    const path: { at: number; link: number }[] = [];
    const enter = (at: number): void => {
      order[at] = next;
      low[at] = next;
      next += 1;
      stack.push(at);
      open[at] = 1;
      path.push({ at, link: 0 });
    };
    enter(root);
    while (path.length > 0) {
      const here = path.at(-1)!;
      const { id, label, broader } = concepts[here.at]!;
      if (here.link < broader.length) {
        const above = place.get(broader[here.link]!);
        here.link += 1;
        if (above === undefined) continue;
        if (order[above] === -1) enter(above);
        else if (open[above] === 1) low[here.at] = Math.min(low[here.at]!, order[above]!);
        continue;
      }
      path.pop();
      const below = path.at(-1);
      if (below !== undefined) low[below.at] = Math.min(low[below.at]!, low[here.at]!);
      if (low[here.at] !== order[here.at]) continue;
      let size = 0;
      let member: number;
      do {
        member = stack.pop()!;
        open[member] = 0;
        size += 1;
      } while (member !== here.at);
      if (size > 1 || broader.includes(id)) loops.push(label);
    }
  }
  return loops;
}

/** Concepts above one, nearest first, at most `limit`; each once, also where they lie in a circle. */
export function ancestors<T extends Node>(concept: T, byId: ReadonlyMap<string, T>, limit: number): T[] {
  const seen = new Set([concept.id]);
  const found: T[] = [];
  let level: T[] = [concept];
  while (level.length > 0 && found.length < limit) {
    const above: T[] = [];
    for (const { broader } of level) {
      for (const id of broader) {
        const each = byId.get(id);
        if (each === undefined || seen.has(id)) continue;
        seen.add(id);
        above.push(each);
      }
    }
    found.push(...above);
    level = above;
  }
  return found.slice(0, limit);
}
