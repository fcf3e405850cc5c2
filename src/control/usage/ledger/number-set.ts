// Collects numbers as ranges. Numbers that arrive almost in order need little memory.

export class NumberSet {
  /** Ascending and apart from each other. Both ends are included. */
  readonly #ranges: [first: number, last: number][] = [];

  /** Returns false for a number that is already in the set. */
  add(number: number): boolean {
    const at = this.#placeOf(number);
    const before = this.#ranges[at - 1];
    const after = this.#ranges[at];
    if (before !== undefined && number <= before[1]) return false;
    const joinsBefore = before?.[1] === number - 1;
    const joinsAfter = after?.[0] === number + 1;
    if (joinsBefore && joinsAfter) {
      before[1] = after[1];
      this.#ranges.splice(at, 1);
    } else if (joinsBefore) before[1] = number;
    else if (joinsAfter) after[0] = number;
    else this.#ranges.splice(at, 0, [number, number]);
    return true;
  }

  /** Returns a multirange of Postgres. */
  toString(): string {
    return `{${this.#ranges.map(([first, last]) => `[${first},${last}]`).join(',')}}`;
  }

  /** The index of the first range that begins after the number. */
  #placeOf(number: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const [first] = this.#ranges[middle] ?? [Infinity];
      if (first <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
