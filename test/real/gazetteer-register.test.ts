import { join } from 'node:path';
import { expect } from 'chai';
import { distanceM } from '../../src/addresses/distance.ts';
import type { Gazetteer } from '../../workers/engine/gazetteer/open.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import {
  readRows,
  registerFolder,
  type Row,
  addressColumns,
  locationColumns,
  type AddressField,
} from '../../workers/import/addresses/files.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { realDataDir } from '../support/material/real-data.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';
import { emptyGeoPackage, openImmutable } from '../support/material/small-gazetteer.ts';

const SEED = 20261121;
const random = seededRandom(SEED);
const SAMPLED = 600;
const NEEDED = 500;
/** The register that the tests of this folder import once. */
const SHARED = 'nar';

describe('the gazetteer on real register rows', function () {
  this.timeout(240_000);

  for (const folderName of ['nar-2023', 'nar-2024', SHARED]) {
    it(`finds the addresses of ${folderName} at their own civic points`, async function () {
      const data = realDataOrSkip(this);
      using folder = temporaryFolder();
      const dataset = openImmutable(await registerIn(data, folderName, folder.path));
      const gazetteer = openGazetteer(dataset);
      const { rows, points } = await readAll(join(data, folderName));
      console.log(`      seed ${SEED}`);
      const sample = pick(rows, Math.min(SAMPLED, rows.length));
      const missed: string[] = [];
      for (const row of sample) {
        const result = gazetteer.geocode(written(row));
        // One number has several points where one building has several entrances; each of them is its own point.
        const own = points.get(civicOf(row)) ?? [];
        const hit = 'found' in result && own.some((point) => distanceM(point, result.found) < 1);
        if (!hit) missed.push(`${written(row)}: ${JSON.stringify(result)}`);
      }
      const far = nearestMisses(gazetteer, sample, points);
      dataset.close();
      expect(missed.length, missed.join('\n')).to.be.at.most(Math.ceil(sample.length * 0.002));
      expect(far.length, far.join('\n')).to.be.at.most(Math.ceil(sample.length * 0.005));
      if (folderName === SHARED) expect(sample.length - missed.length).to.be.at.least(NEEDED);
    });
  }
});

/** Gives a file with the register of a folder: for `SHARED` the one that stays, otherwise one in the folder `into`. */
async function registerIn(data: string, name: string, into: string): Promise<string> {
  if (name === SHARED) return join(requireCurrentSnapshot(realDataDir(data)).dir, 'land.gpkg');
  const gpkg = emptyGeoPackage(join(into, 'land.gpkg'));
  await importAddresses({ from: join(data, name), gpkg });
  return gpkg;
}

/**
 * Places some metres beside addresses, of which the nearest address is not the nearest building of the register. A few are meant to be
 * missed: addresses whose text is refused, and positions that the register contradicts. Each address that is named must be found.
 */
function nearestMisses(
  gazetteer: Gazetteer,
  sample: readonly AddressRow[],
  points: ReadonlyMap<string, readonly RegisterPoint[]>,
): string[] {
  const buildingsBeside = byLatitude([...points.values()].flat().filter(({ blockface }) => !blockface));
  return sample.flatMap((row) => {
    const [{ lat, lon } = { lat: 0, lon: 0 }] = points.get(civicOf(row)) ?? [];
    const at = { lat: lat + (random() - 0.5) * 0.002, lon: lon + (random() - 0.5) * 0.003 };
    const leastM = Math.min(...buildingsBeside(at).map((point) => distanceM(point, at)));
    const found = gazetteer.nearest(at);
    if (found.state === 'present') {
      expect(gazetteer.geocode(found.address)).to.have.nested.property('found.address', found.address);
      if (found.accuracy === 'blockface' ? leastM > 99 : Math.abs(found.distanceM - leastM) < 1) return [];
    } else if (leastM > 99) return [];
    return [`${JSON.stringify(at)}: ${JSON.stringify(found)}, but a building is ${leastM} m away`];
  });
}

/** Finds all points within 200 m of a place, and others. */
function byLatitude<T extends Coordinate>(points: readonly T[]): (at: Coordinate) => T[] {
  const stripOf = ({ lat }: Coordinate): number => Math.floor(lat / 0.002);
  const strips = new Map<number, T[]>();
  for (const point of points) {
    const strip = strips.get(stripOf(point));
    if (strip) strip.push(point);
    else strips.set(stripOf(point), [point]);
  }
  return (at) => [-1, 0, 1].flatMap((i) => strips.get(stripOf(at) + i) ?? []);
}

type AddressRow = Row<AddressField>;

type RegisterPoint = Coordinate & { readonly blockface: boolean };

async function readAll(from: string): Promise<{ rows: AddressRow[]; points: Map<string, RegisterPoint[]> }> {
  const files = await registerFolder(from);
  const locations = new Map<string, RegisterPoint>();
  for await (const row of readRows(files.locations, locationColumns, ['location'], () => undefined)) {
    const place = { lat: Number(row.lat || row.blockfaceLat), lon: Number(row.lon || row.blockfaceLon) };
    locations.set(row.location, { ...place, blockface: row.lat === '' });
  }
  const rows: AddressRow[] = [];
  const points = new Map<string, RegisterPoint[]>();
  for await (const row of readRows(files.addresses, addressColumns, ['location'], () => undefined)) {
    rows.push(row);
    points.set(civicOf(row), [...(points.get(civicOf(row)) ?? []), locations.get(row.location)!]);
  }
  return { rows, points };
}

function civicOf(row: AddressRow): string {
  return [row.civic, row.suffix, row.name, row.type, row.direction, row.municipality].join('|');
}

function written(row: AddressRow): string {
  const unit = row.unit === '' ? '' : `${row.unit}-`;
  const gap = row.suffix.includes('/') ? ' ' : '';
  const street = [row.name, row.type, row.direction].filter(Boolean).join(' ');
  return `${unit}${row.civic}${gap}${row.suffix} ${street}, ${row.municipality}, ON ${row.postalCode}`;
}

function pick<T>(items: readonly T[], count: number): T[] {
  const rest = [...items];
  return Array.from({ length: count }, () => rest.splice(Math.floor(random() * rest.length), 1)[0]!);
}
