import { municipalityKey } from '../../src/addresses/municipality-name.ts';
import { isOneEditAt } from '../../src/addresses/one-edit.ts';
import { tokenise } from '../../src/addresses/tokens.ts';
import type { TypedPlace } from './typed-readings.ts';
import type { GazetteerStore } from '../engine/gazetteer/store.ts';
import type { AliasTarget } from '../engine/gazetteer/tables.ts';
import type { NameList } from './name-list.ts';

/** Shortest beginning of a name that may have a typing error. */
export const SHORTEST_WITH_ERROR = 5;

/** Shortest beginning of a former municipality's name. */
const SHORTEST_FORMER = 3;

/** The places that a typed name may mean. */
export class PlaceSet {
  readonly targets: readonly AliasTarget[];
  readonly #csds = new Set<number>();
  readonly #mails = new Set<number>();

  constructor(targets: readonly AliasTarget[]) {
    this.targets = targets;
    for (const { csd, mail } of targets) {
      if (mail === null) this.#csds.add(csd);
      else this.#mails.add(pairOf(csd, mail));
    }
  }

  /** Returns how well a street's municipality fits: 0 by its mailing name, 1 by its present municipality; null: it does not. */
  rankOf(csd: number, mail: number): 0 | 1 | null {
    if (this.#mails.has(pairOf(csd, mail))) return 0;
    return this.#csds.has(csd) ? 1 : null;
  }
}

function pairOf(csd: number, mail: number): number {
  return csd * 0x10000 + mail;
}

/** All names of municipalities, sorted: the keys that the register and the list of former municipalities have. */
export class PlaceNames {
  readonly #store: GazetteerStore;
  readonly #names: readonly { readonly name: string; readonly targets: readonly AliasTarget[] }[];
  /** Register rows by mailing municipality, and by census subdivision. */
  readonly #rowsOfMail: Float64Array;
  readonly #rowsOfCsd: Float64Array;

  constructor(store: GazetteerStore, list: NameList) {
    this.#store = store;
    const names = new Map<string, readonly AliasTarget[]>();
    for (const key of store.municipalityKeys()) names.set(key, store.municipality(key));
    // "Saint C" does not yet begin the key of "St. Catharines", nor "For" that of "Fort Erie".
    for (const [key, targets] of [...names]) {
      for (const written of new Set(targets.map((target) => joined(this.nameOf(target))))) {
        if (!names.has(written)) names.set(written, store.municipality(key));
      }
    }
    this.#names = [...names]
      .map(([name, targets]) => ({ name, targets }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    this.#rowsOfMail = new Float64Array(store.mails.length);
    this.#rowsOfCsd = new Float64Array(store.csds.length);
    for (let street = 0; street < list.streetCount; street++) {
      this.#rowsOfMail[list.mail[street]!]! += list.rows[street]!;
      this.#rowsOfCsd[list.csd[street]!]! += list.rows[street]!;
    }
  }

  /** Name of a place in display case. */
  nameOf({ csd, mail }: AliasTarget): string {
    return (mail === null ? this.#store.csds[csd]?.name : this.#store.mails[mail]) ?? '';
  }

  /** Says whether a place is called so itself, and not only under another name. */
  isCalled(target: AliasTarget, { name }: TypedPlace): boolean {
    const words = tokenise(this.nameOf(target));
    return municipalityKey(words).startsWith(name) || words.join('').startsWith(name);
  }

  rowsOf({ csd, mail }: AliasTarget): number {
    return (mail === null ? this.#rowsOfCsd[csd] : this.#rowsOfMail[mail]) ?? 0;
  }

  /** Returns the places that have a name, or a name that begins so. */
  find({ name, isWhole }: TypedPlace): PlaceSet {
    if (isWhole) return new PlaceSet(this.#store.municipality(name));
    const targets: AliasTarget[] = [];
    for (let at = this.#firstFrom(name); this.#names[at]?.name.startsWith(name); at++) {
      targets.push(...this.#names[at]!.targets);
    }
    // "E" is the beginning of Etobicoke before it is that of East York, which was made part of Toronto.
    return new PlaceSet(name.length < SHORTEST_FORMER ? targets.filter(({ curated }) => !curated) : targets);
  }

  /** Does the same for names that one typing error separates from it. */
  findNear({ name, isWhole }: TypedPlace): PlaceSet {
    if (name.length < SHORTEST_WITH_ERROR || /\d/.test(name)) return new PlaceSet([]);
    const lengths = [name.length - 1, name.length, name.length + 1];
    const isNear = (other: string): boolean =>
      isWhole
        ? isOneEditAt(name, other, 0, other.length)
        : lengths.some((length) => length <= other.length && isOneEditAt(name, other, 0, length));
    return new PlaceSet(this.#names.filter((other) => isNear(other.name)).flatMap(({ targets }) => targets));
  }

  #firstFrom(name: string): number {
    let [low, high] = [0, this.#names.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#names[middle]!.name < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function joined(name: string): string {
  return tokenise(name).join('');
}
