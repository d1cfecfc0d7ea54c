import { ONTARIO } from '../../../src/addresses/register-files.ts';
import { readRows, type RegisterFiles, type Row } from './files.ts';
import {
  addressColumns,
  locationColumns,
  requiredAddressColumns,
  requiredLocationColumns,
  type AddressField,
  type LocationField,
} from './layout.ts';
import type { Staging, StagedLocation } from './staging.ts';
import type { StreetIndex } from './street-index.ts';

/** Counts of the register rows that are left out, by reason. */
export class Dropped {
  readonly counts: Record<string, number> = {};

  add(reason: string): void {
    this.counts[reason] = (this.counts[reason] ?? 0) + 1;
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}

/** The province's bounding box, in degrees. */
const ontario = { west: -95.2, east: -74.3, south: 41.6, north: 56.9 };

/** Stages every location that has a point in Ontario. */
export async function stageLocations(
  files: RegisterFiles,
  staging: Staging,
  onBytes: (count: number) => void,
): Promise<void> {
  for await (const row of readRows(files.locations, locationColumns, requiredLocationColumns, onBytes)) {
    const location = readLocation(row);
    if (location) staging.addLocation(location);
  }
}

/** Reads the building's point, otherwise that of its side of the street; null when there is none in Ontario. */
function readLocation(row: Row<LocationField>): StagedLocation | null {
  const building = point(row.lat, row.lon);
  const place = building ?? point(row.blockfaceLat, row.blockfaceLon);
  const csd = Number(row.csd);
  if (place === null || !Number.isInteger(csd)) return null;
  return { guid: row.location, csd, ...place, blockface: building === null };
}

function point(latText: string, lonText: string): { lat: number; lon: number } | null {
  if (latText.trim() === '' || lonText.trim() === '') return null;
  const [lat, lon] = [Number(latText), Number(lonText)];
  const inside = lat >= ontario.south && lat <= ontario.north && lon >= ontario.west && lon <= ontario.east;
  return inside ? { lat, lon } : null;
}

/**
 * Stages every civic address of Ontario.
 * @returns number of rows read, and the distinct names of census subdivisions (both languages) by number.
 */
export async function stageAddresses(
  files: RegisterFiles,
  { staging, streets, dropped }: { staging: Staging; streets: StreetIndex; dropped: Dropped },
  onBytes: (count: number) => void,
): Promise<{ rows: number; csdNames: string[] }> {
  let rows = 0;
  const csdNames = new Map<string, number>();
  for await (const raw of readRows(files.addresses, addressColumns, requiredAddressColumns, onBytes)) {
    const row = withoutFraction(raw);
    rows++;
    const civic = civicNumber(row);
    if (row.province !== '' && row.province !== ONTARIO) dropped.add('other province');
    else if (civic === null) dropped.add('no civic number');
    else {
      const street = streets.of(row);
      if (street === null) dropped.add('no street name');
      else
        staging.addAddress({
          guid: row.location,
          ...street,
          csdName: csdNameId(row, csdNames),
          civic,
          ...details(row),
        });
    }
  }
  return { rows, csdNames: [...csdNames.keys()] };
}

/** "1081" on "½ Pape Ave" is 1081 1/2 on Pape Ave. */
function withoutFraction(row: Row<AddressField>): Row<AddressField> {
  const fraction = /^(?:½|1\/2) /.exec(row.name)?.[0];
  if (fraction === undefined || row.suffix !== '') return row;
  const mailName = row.mailName.startsWith(fraction) ? row.mailName.slice(fraction.length) : row.mailName;
  return { ...row, name: row.name.slice(fraction.length), mailName, suffix: '1/2' };
}

function civicNumber(row: Row<AddressField>): number | null {
  const text = row.civic.trim();
  return /^\d{1,6}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

function csdNameId(row: Row<AddressField>, names: Map<string, number>): number {
  const name = `${row.csdEnglish} / ${row.csdFrench}`;
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}

function details(row: Row<AddressField>): { suffix: string; unit: string; postalCode: string } {
  const postalCode = row.postalCode.replaceAll(' ', '').toUpperCase();
  return {
    suffix: row.suffix.trim().toUpperCase().replace('½', '1/2'),
    unit: row.unit.trim().toUpperCase(),
    postalCode: /^[A-Z]\d[A-Z]\d[A-Z]\d$/.test(postalCode) ? postalCode : '',
  };
}
