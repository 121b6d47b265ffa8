/** Disjoint sets of the numbers below `size`, united pair by pair. */
export class UnionFind {
  readonly #parent: Int32Array;

  constructor(size: number) {
    this.#parent = Int32Array.from({ length: size }, (_, i) => i);
  }

  find(item: number): number {
    let root = item;
    while (this.#parent[root] !== root) root = this.#parent[root]!;
    for (let at = item; at !== root; ) {
      const next = this.#parent[at]!;
      this.#parent[at] = root;
      at = next;
    }
    return root;
  }

  /** The smaller root stays, so that the outcome does not depend on the order of the pairs. */
  unite(a: number, b: number): void {
    const [one, other] = [this.find(a), this.find(b)];
    this.#parent[Math.max(one, other)] = Math.min(one, other);
  }

  /** Members of each set, ascending; sets by their smallest member. */
  sets(): number[][] {
    const sets = new Map<number, number[]>();
    for (let i = 0; i < this.#parent.length; i++) {
      const root = this.find(i);
      const set = sets.get(root);
      if (set === undefined) sets.set(root, [i]);
      else set.push(i);
    }
    return [...sets.values()];
  }
}
