/** Numbers by key, of what is held now; a key that holds nothing is forgotten. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of = (key: string): number => this.#counts.get(key) ?? 0;

  add(key: string, more: number): void {
    const count = this.of(key) + more;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
