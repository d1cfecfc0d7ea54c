import { formerMunicipalities } from '../../../src/addresses/municipal-structure.ts';
import { displayCase } from '../../../src/addresses/format.ts';
import { municipalityKey, municipalityKeys } from '../../../src/addresses/municipality-name.ts';
import { tokenise } from '../../../src/addresses/tokens.ts';
import { squareOf, type AliasTarget } from '../../engine/gazetteer/tables.ts';
import type { JoinedRow } from './staging.ts';

/** Collects the mailing municipalities of each census subdivision while the joined rows are read. */
export class Municipalities {
  /** Census subdivision codes by index. */
  readonly #codes: number[] = [];
  readonly #indexOf = new Map<number, number>();
  /** By subdivision: number of a column text -> rows. */
  readonly #names: Map<number, number>[] = [];
  /** By subdivision: mailing municipality -> rows. */
  readonly #mails: Map<number, number>[] = [];

  /** By mailing municipality: squares of the grid that have an address of it. */
  readonly #squares: Set<number>[] = [];
  readonly #postalAreas = new Map<string, Set<number>>();

  /** Counts a row and returns the index of its subdivision. */
  count({ csd: csdCode, csdName, lat, lon, postalCode }: JoinedRow, mail: number): number {
    let csd = this.#indexOf.get(csdCode);
    if (csd === undefined) {
      csd = this.#codes.push(csdCode) - 1;
      this.#indexOf.set(csdCode, csd);
      this.#names.push(new Map());
      this.#mails.push(new Map());
    }
    addTo(this.#names[csd]!, csdName);
    addTo(this.#mails[csd]!, mail);
    (this.#squares[mail] ??= new Set()).add(squareOf({ lat, lon }));
    if (postalCode !== '') this.#addPostalArea(postalCode.slice(0, 3), csd);
    return csd;
  }

  /** @param mails number of mailing municipalities. */
  squares(mails: number): number[][] {
    return Array.from({ length: mails }, (_, mail) => [...(this.#squares[mail] ?? [])].sort((a, b) => a - b));
  }

  postalAreas(): Record<string, number[]> {
    return Object.fromEntries([...this.#postalAreas].map(([area, csds]) => [area, [...csds]]));
  }

  #addPostalArea(area: string, csd: number): void {
    const csds = this.#postalAreas.get(area);
    if (csds) csds.add(csd);
    else this.#postalAreas.set(area, new Set([csd]));
  }

  /**
   * Returns the subdivisions with their most frequent English names. @param names column texts "English / French" by
   * number.
   */
  csds(names: readonly string[]): { code: string; name: string }[] {
    return this.#codes.map((code, csd) => {
      const [[name] = [0]] = [...this.#names[csd]!].sort((a, b) => b[1] - a[1]);
      return { code: String(code), name: (names[name] ?? '').split(' / ')[0]!.trim() };
    });
  }

  /** Returns every name of a municipality -> the places with this name, most rows first. */
  aliases(names: readonly string[], mails: readonly string[]): Record<string, AliasTarget[]> {
    const targets = new Map<string, (AliasTarget & { rows: number })[]>();
    const add = (key: string, target: AliasTarget & { rows: number }): void => {
      const list = targets.get(key) ?? [];
      if (!list.some(({ csd, mail }) => csd === target.csd && mail === target.mail)) list.push(target);
      targets.set(key, list);
    };
    for (const csd of this.#codes.keys()) {
      for (const [mail, rows] of this.#mails[csd]!) {
        for (const key of municipalityKeys(mails[mail] ?? '')) add(key, { csd, mail, rows });
      }
      for (const [name, rows] of this.#names[csd]!) {
        for (const key of municipalityKeys(names[name] ?? '').flatMap(withoutKind)) add(key, { csd, mail: null, rows });
      }
    }
    addFormer(targets, add);
    return Object.fromEntries(
      [...targets].map(([key, list]) => [key, list.sort((a, b) => b.rows - a.rows).map(withoutRows)]),
    );
  }
}

type Targets = ReadonlyMap<string, readonly AliasTarget[]>;

/**
 * Adds names from the list of former municipalities, except those that the register uses as mailing names in the same
 * subdivision, because the register is more exact.
 */
function addFormer(targets: Targets, add: (key: string, target: AliasTarget & { rows: number }) => void): void {
  for (const [today, former] of Object.entries(formerMunicipalities)) {
    const csds = (targets.get(keyOf(today)) ?? []).filter(({ mail }) => mail === null).map(({ csd }) => csd);
    for (const key of former.map(keyOf)) {
      const attested = new Set((targets.get(key) ?? []).map(({ csd }) => csd));
      const others = csds.filter((csd) => !attested.has(csd));
      for (const csd of others) add(key, { csd, mail: null, curated: true, rows: 0 });
    }
  }
}

function addTo(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function keyOf(name: string): string {
  return municipalityKey(tokenise(name));
}

function withoutRows({ csd, mail, curated }: AliasTarget & { rows: number }): AliasTarget {
  return curated ? { csd, mail, curated } : { csd, mail };
}

/** Returns the key without its kind, because people also write "NORFOLKCOUNTY" without it. */
function withoutKind(key: string): string[] {
  const bare = key.replace(/(?<=...)(?:COUNTY|TWP)$/, '');
  return bare === key ? [key] : [key, bare];
}

/**
 * Returns display names of the mailing municipalities, in the census subdivision's own spelling if it is the same name.
 */
export function displayNames(mails: readonly string[], csds: readonly { name: string }[]): string[] {
  const official = new Map(csds.map(({ name }) => [keyOf(name), name]));
  return mails.map((mail) => official.get(keyOf(mail)) ?? displayCase(mail));
}
