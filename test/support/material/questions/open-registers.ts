/** The registers whose questions are asked. Each opens in a few seconds. */
import type { Gazetteer } from '../../../../workers/engine/gazetteer/open.ts';
import { seededRandom } from '../../../../workers/verify/seeded-random.ts';
import {
  readRows,
  registerFolder,
  addressColumns,
  locationColumns,
} from '../../../../workers/import/addresses/files.ts';
import { openGazetteer } from '../../../../workers/engine/gazetteer/open.ts';
import { imported } from '../small-gazetteer.ts';
import type { RegisterRow } from '../small-register.ts';
import { drawnRegister, isWithheld } from './drawn-register.ts';
import { KnownRegister } from './known-register.ts';
import { streetKey } from './names.ts';

/** `drawn`: by hand. `real`: the extract. `hold`: the extract, of which the geocoder lacks streets and numbers. */
export const registerNames = ['drawn', 'real', 'hold'] as const;
export type RegisterName = (typeof registerNames)[number];

export interface OpenRegister extends Disposable {
  readonly known: KnownRegister;
  readonly gazetteer: Gazetteer;
}

const STREETS_HELD = 0.12;
const NUMBERS_HELD = 0.15;

/** @param extract folder of the register extract; not used for the drawn register. */
export async function openRegister(name: RegisterName, extract: string | null): Promise<OpenRegister> {
  if (name === 'drawn') return open(drawnRegister, (row) => !isWithheld(row));
  if (extract === null) throw new Error(`the ${name} register needs the extract`);
  return open(await rowsOf(extract), name === 'real' ? () => true : (row) => !isHeld(row));
}

async function open(rows: readonly RegisterRow[], isServed: (row: RegisterRow) => boolean): Promise<OpenRegister> {
  const register = await imported(rows.filter(isServed));
  return {
    known: new KnownRegister(rows, isServed),
    gazetteer: openGazetteer(register.dataset),
    [Symbol.dispose]: () => {
      register[Symbol.dispose]();
    },
  };
}

const rowsByFolder = new Map<string, Promise<RegisterRow[]>>();

function rowsOf(folder: string): Promise<RegisterRow[]> {
  const rows = rowsByFolder.get(folder) ?? extractRows(folder);
  rowsByFolder.set(folder, rows);
  return rows;
}

async function extractRows(folder: string): Promise<RegisterRow[]> {
  const files = await registerFolder(folder);
  const places = new Map<string, Pick<RegisterRow, 'at' | 'blockface'> & { readonly csd: number }>();
  for await (const row of readRows(files.locations, locationColumns, ['location'], () => undefined)) {
    const blockface = point(row.blockfaceLat, row.blockfaceLon);
    places.set(row.location, { at: point(row.lat, row.lon), ...(blockface && { blockface }), csd: Number(row.csd) });
  }
  const rows: RegisterRow[] = [];
  for await (const row of readRows(files.addresses, addressColumns, ['location'], () => undefined)) {
    if (misplaced.has([row.civic, row.name, row.type, row.municipality].join(' '))) continue;
    const { csd, ...points } = places.get(row.location)!;
    rows.push({
      ...{ civic: Number(row.civic), suffix: row.suffix, unit: row.unit, mail: row.municipality, ...points },
      street: [row.name, row.type, row.direction],
      mailStreet: [row.mailName, row.mailType, row.mailDirection],
      csd: [isCityOfHamilton(csd, points) ? 3525005 : csd, row.csdEnglish, row.csdFrench],
      ...{ postalCode: row.postalCode, province: row.province },
    });
  }
  return rows;
}

/** Rows that stand hundreds of metres off the line of their street, so that no number between them and the next can be placed. */
const misplaced: ReadonlySet<string> = new Set(['236 Nepean ST OTTAWA']);

/** The extract has the city under the code of the township of its name, 120 km away. */
function isCityOfHamilton(csd: number, { at, blockface }: Pick<RegisterRow, 'at' | 'blockface'>): boolean {
  const [, lon] = at ?? blockface ?? [0, 0];
  return csd === 3514019 && lon < -79;
}

function point(lat: string, lon: string): [number, number] | null {
  return lat === '' ? null : [Number(lat), Number(lon)];
}

/** Decides by the street and by the number, so that every row of one is held or none. */
function isHeld({ civic, street: [name, type, direction], csd }: RegisterRow): boolean {
  const street = [csd[0], streetKey(name), type, direction].join('|');
  return chanceOf(street) < STREETS_HELD || chanceOf(`${street}|${civic}`) < NUMBERS_HELD;
}

/** A number in [0, 1) that depends on the text alone. */
function chanceOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) | 0;
  return seededRandom(hash)();
}
