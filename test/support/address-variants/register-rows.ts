import { municipalityKeys } from '../../../src/shared/addresses/municipality-name.ts';
import { parseStreet } from '../../../src/shared/addresses/street-name.ts';
import { tokenise } from '../../../src/shared/addresses/tokens.ts';
import type { Coordinate } from '../../../src/shared/contract/lookup.ts';
import { readRows, registerFolder, type Row } from '../../../workers/import/addresses/files.ts';
import { addressColumns, locationColumns, type AddressField } from '../../../workers/import/addresses/layout.ts';

/** A register row with the points that the register has for its civic number. */
export interface KnownAddress extends Row<AddressField> {
  readonly points: readonly Coordinate[];
  /** Folded street name, and the census subdivision's name. */
  readonly streetKey: string;
  readonly csd: string;
}

/** A register read whole, for tests that ask about it. */
export interface KnownRegister {
  readonly addresses: readonly KnownAddress[];
  /** Street keys by census subdivision. */
  readonly streetsOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rows by census subdivision and street key. */
  readonly rowsOf: ReadonlyMap<string, readonly KnownAddress[]>;
}

/** @param from register folder. */
export async function readKnownRegister(from: string): Promise<KnownRegister> {
  const files = await registerFolder(from);
  const locations = new Map<string, Coordinate>();
  for await (const row of readRows(files.locations, locationColumns, ['location'], () => undefined)) {
    locations.set(row.location, { lat: Number(row.lat || row.blockfaceLat), lon: Number(row.lon || row.blockfaceLon) });
  }
  const pointsOf = new Map<string, Coordinate[]>();
  const addresses: KnownAddress[] = [];
  for await (const row of readRows(files.addresses, addressColumns, ['location'], () => undefined)) {
    const streetKey = parseStreet(tokenise(`${row.name} ${row.type} ${row.direction}`))?.key ?? '';
    const csd = municipalityKeys(row.csdEnglish)[0] ?? '';
    const civic = [row.civic, row.suffix, streetKey, row.type, row.direction, csd].join('|');
    const points = entry(pointsOf, civic);
    const point = locations.get(row.location);
    if (point) points.push(point);
    addresses.push({ ...row, points, streetKey, csd });
  }
  return { addresses, ...indexed(addresses) };
}

function indexed(addresses: readonly KnownAddress[]): Omit<KnownRegister, 'addresses'> {
  const streetsOf = new Map<string, Set<string>>();
  const rowsOf = new Map<string, KnownAddress[]>();
  for (const address of addresses) {
    const streets = streetsOf.get(address.csd);
    if (streets) streets.add(address.streetKey);
    else streetsOf.set(address.csd, new Set([address.streetKey]));
    entry(rowsOf, `${address.csd}|${address.streetKey}`).push(address);
  }
  return { streetsOf, rowsOf };
}

function entry<T>(map: Map<string, T[]>, key: string): T[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}
