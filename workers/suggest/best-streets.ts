import { fitsType, type TypedReading } from './typed-readings.ts';
import type { NameList, Range } from './name-list.ts';
import type { NumberRow } from './number-row.ts';
import type { PlaceSet } from './place-names.ts';

/** A reading with what it refers to. */
export interface Wanted {
  readonly reading: TypedReading;
  readonly places: PlaceSet | null;
  /** Added to the reading's rank. */
  readonly penalty: number;
}

/** Streets that every suggestion must be among. */
export interface Among {
  /** Streets with the civic number; null: all. */
  readonly numbers: NumberRow | null;
  /** Census subdivisions of the postal area; null: all. */
  readonly csds: ReadonlySet<number> | null;
}

/** A place in the present municipality costs less than another reading. */
const STEPS = 2;

/** Above every number of rows. */
const RANK = 2 ** 32;

/** Keeps the best of the streets that are offered to it, each once: those of the lowest rank, then those with the most rows. */
export class BestStreets {
  readonly #list: NameList;
  readonly #most: number;
  readonly #streets: number[] = [];
  readonly #costs: number[] = [];

  constructor(list: NameList, most: number) {
    this.#list = list;
    this.#most = most;
  }

  get streets(): readonly number[] {
    return this.#streets;
  }

  /** Offers the streets of a range of names that fit a reading. */
  offerAll(range: Range, wanted: Wanted, among: Among): void {
    const test = tester(this.#list, wanted, among);
    const leastCost = (wanted.reading.rank + wanted.penalty) * STEPS * RANK;
    const offer = (position: number): void => {
      const street = this.#list.street[position]!;
      // First, because most streets of a long range fail here.
      if (leastCost - this.#list.rows[street]! >= this.#worst) return;
      const rank = test(street);
      if (rank !== null) this.#offer(street, rank * RANK - this.#list.rows[street]!);
    };
    if (among.numbers !== null) among.numbers.visit(range, offer);
    else for (let position = range.from; position < range.to; position++) offer(position);
  }

  /** Offers the streets with the most rows, until there are enough. */
  offerCommon(wanted: Wanted, among: Among): void {
    const test = tester(this.#list, wanted, among);
    for (const position of this.#list.common) {
      if (this.#streets.length >= this.#most) return;
      const street = this.#list.street[position]!;
      if (among.numbers?.has(position) === false || test(street) === null) continue;
      this.#offer(street, -this.#list.rows[street]!);
    }
  }

  /** A street of this cost or more is not taken. */
  get #worst(): number {
    return this.#costs.length === this.#most ? this.#costs[this.#most - 1]! : Infinity;
  }

  #offer(street: number, cost: number): void {
    const [streets, costs] = [this.#streets, this.#costs];
    if (cost >= this.#worst) return;
    const known = streets.indexOf(street);
    if (known >= 0) {
      if (costs[known]! <= cost) return;
      streets.splice(known, 1);
      costs.splice(known, 1);
    }
    let at = costs.length;
    while (at > 0 && costs[at - 1]! > cost) at--;
    streets.splice(at, 0, street);
    costs.splice(at, 0, cost);
    if (streets.length > this.#most) {
      streets.pop();
      costs.pop();
    }
  }
}

/** Returns a function that gives the rank of a street; null when it does not fit. */
function tester(
  list: NameList,
  { reading, places, penalty }: Wanted,
  { csds }: Among,
): (street: number) => number | null {
  const { types, directions, rank } = reading;
  // Once for each type and direction instead of once for each street.
  const hasType = types && list.types.map((type) => fitsType(types, type));
  const hasDirection = directions && list.directions.map((symbol) => symbol !== null && directions.includes(symbol));
  return (street) => {
    if (hasType?.[list.type[street]!] === false || hasDirection?.[list.direction[street]!] === false) return null;
    const csd = list.csd[street]!;
    if (csds?.has(csd) === false) return null;
    const placeRank = places === null ? 0 : places.rankOf(csd, list.mail[street]!);
    return placeRank === null ? null : (rank + penalty) * STEPS + placeRank;
  };
}
