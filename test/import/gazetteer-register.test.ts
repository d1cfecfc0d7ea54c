import { join } from 'node:path';
import { expect } from 'chai';
import { distanceM } from '../../src/shared/addresses/distance.ts';
import type { Coordinate } from '../../src/shared/contract/lookup.ts';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { openGazetteer } from '../../workers/lookup/gazetteer/open.ts';
import { readRows, registerFolder, type Row } from '../../workers/import/addresses/files.ts';
import { addressColumns, locationColumns, type AddressField } from '../../workers/import/addresses/layout.ts';
import { temporaryFolder } from '../support/folder.ts';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import { realDataOrSkip } from '../support/shared-data.ts';
import { emptyGeoPackage, openImmutable } from '../support/small-gazetteer.ts';

const SEED = 20261121;
const SAMPLED = 600;
const NEEDED = 500;

describe('the gazetteer on real register rows', function () {
  this.timeout(240_000);

  for (const folderName of ['nar-2023', 'nar-2024', 'nar']) {
    it(`finds the addresses of ${folderName} at their own civic points`, async function () {
      const from = join(realDataOrSkip(this), folderName);
      using folder = temporaryFolder();
      const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
      await importAddresses({ from, gpkg });
      const dataset = openImmutable(gpkg);
      const gazetteer = openGazetteer(dataset);
      const { rows, points } = await readAll(from);
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
      dataset.close();
      expect(missed.length, missed.join('\n')).to.be.at.most(Math.ceil(sample.length * 0.002));
      if (folderName === 'nar') expect(sample.length - missed.length).to.be.at.least(NEEDED);
    });
  }
});

type AddressRow = Row<AddressField>;

async function readAll(from: string): Promise<{ rows: AddressRow[]; points: Map<string, Coordinate[]> }> {
  const files = await registerFolder(from);
  const locations = new Map<string, Coordinate>();
  for await (const row of readRows(files.locations, locationColumns, ['location'], () => undefined)) {
    locations.set(row.location, { lat: Number(row.lat || row.blockfaceLat), lon: Number(row.lon || row.blockfaceLon) });
  }
  const rows: AddressRow[] = [];
  const points = new Map<string, Coordinate[]>();
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
  const random = seededRandom(SEED);
  const rest = [...items];
  return Array.from({ length: count }, () => rest.splice(Math.floor(random() * rest.length), 1)[0]!);
}
