import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { Gazetteer } from '../../workers/engine/gazetteer/open.ts';
import type { NearestAddress, Coordinate } from '../../src/messages/lookup.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import {
  emptyGeoPackage,
  imported,
  openImmutable,
  type ImportedRegister,
} from '../support/material/small-gazetteer.ts';
import { writeRegister, type RegisterRow } from '../support/material/small-register.ts';

const PLACES = 1000;
const random = seededRandom(110);

/** Returns what measures metres on the ground by the projection, which is not how the gazetteer measures. */
function measured(rows: readonly RegisterRow[]): (at: Coordinate) => number[] {
  const points = rows.map(({ at }) => project({ lat: at![0], lon: at![1] }));
  return (at) => {
    const { x, y, scale } = project(at);
    return points.map((point) => Math.hypot(point.x - x, point.y - y) / scale);
  };
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** A town of 4 km with 120 short streets, so that no position contradicts its neighbours. */
function town(south: number, west: number, name: string, csd: number): RegisterRow[] {
  return Array.from({ length: 120 }, (_, street) => {
    const [lat, lon] = [south + random() * 0.036, west + random() * 0.05];
    return Array.from({ length: 20 }, (_row, i): RegisterRow => {
      const at = [rounded(lat + random() * 0.003), rounded(lon + random() * 0.004)] as const;
      return { civic: 1 + i, street: [`Row ${street}`, 'ST'], mail: name, csd: [csd, name], at };
    });
  }).flat();
}

describe('the address nearest to a place', () => {
  // In the far north, degrees of longitude are short.
  const rows = [...town(43.2, -79.4, 'SOUTHTON', 3500001), ...town(56.2, -88.1, 'NORTHTON', 3500002)];
  let register: ImportedRegister;
  let gazetteer: Gazetteer;
  before(async () => {
    register = await imported(rows);
    gazetteer = openGazetteer(register.dataset);
  });
  after(() => {
    register[Symbol.dispose]();
  });

  it('is the one that measuring to every point finds, and none is farther than 100 m', () => {
    const distancesFrom = measured(rows);
    const states = { present: 0, absent: 0 };
    for (let i = 0; i < PLACES; i++) {
      const [south, west] = i % 2 === 0 ? [43.198, -79.402] : [56.198, -88.102];
      const at = { lat: south + random() * 0.04, lon: west + random() * 0.054 };
      const distances = distancesFrom(at);
      const least = Math.min(...distances);
      const { civic, street } = rows[distances.indexOf(least)]!;
      const found = gazetteer.nearest(at);
      if (least > 100) expect(found).to.deep.equal({ state: 'absent' });
      else {
        expect(found.state).to.equal('present');
        expect(found)
          .to.have.property('address')
          .that.matches(new RegExp(`^${civic} ${street[0]} St, (South|North)ton, ON, Canada$`, 'i'));
        expect(found).to.have.property('distanceM').that.is.closeTo(least, 0.001);
      }
      states[found.state as 'present' | 'absent']++;
    }
    expect(Math.min(...Object.values(states)), 'places of both kinds').to.be.above(100);
  });

  it('is found by a lookup of its text', () => {
    for (const { at } of rows.filter((_, i) => i % 20 === 0)) {
      const found = gazetteer.nearest({ lat: at![0], lon: at![1] }) as NearestAddress & { state: 'present' };
      expect(gazetteer.geocode(found.address)).to.deep.nested.include({
        'found.address': found.address,
        'found.components': found.components,
      });
    }
  });

  it('is absent where the register has no squares', () => {
    for (const at of [
      { lat: 90, lon: 0 },
      { lat: -90, lon: 180 },
      { lat: 0, lon: 0 },
      { lat: 41.5, lon: -95.5 },
    ])
      expect(gazetteer.nearest(at)).to.deep.equal({ state: 'absent' });
  });
});

describe('of several points, the address nearest to a place', () => {
  const row = { mail: 'KINGSTON', csd: [3510010, 'Kingston'] } as const;
  const at = { lat: 44.25, lon: -76.5 };
  const east = (metres: number): [number, number] => [at.lat, rounded(at.lon + metres / 79_873)];

  async function nearestOf(rows: readonly Omit<RegisterRow, 'mail' | 'csd'>[]): Promise<NearestAddress> {
    using register = await imported(rows.map((one) => ({ ...row, ...one })));
    return openGazetteer(register.dataset).nearest(at);
  }

  it('is a building before a side of a street that is nearer', async () => {
    const side = { civic: 5, street: ['Main', 'ST'], at: null, blockface: east(10) } as const;
    const building = { civic: 9, street: ['Main', 'ST'], at: east(90) } as const;
    expect(await nearestOf([side, building])).to.include({
      address: '9 Main St, Kingston, ON, Canada',
      accuracy: 'building',
    });
    const found = await nearestOf([side, { ...building, at: east(110) }]);
    expect(found).to.include({ address: '5 Main St, Kingston, ON, Canada', accuracy: 'blockface' });
    expect(found).to.have.property('distanceM').that.is.closeTo(10, 0.1);
  });

  it('has its suffix and postal code, but no unit', async () => {
    const found = await nearestOf([
      { civic: 12, suffix: '1/2', unit: '3', street: ['John', 'ST', 'W'], postalCode: 'K7L1A1', at: east(0) },
    ]);
    expect(found).to.include({ address: '12 1/2 John St W, Kingston, ON K7L 1A1, Canada' });
  });

  it('is none whose text would be refused: two far places of one address, and a position that the register contradicts', async () => {
    const twice = { civic: 7, street: ['Far', 'RD'] } as const;
    expect(
      await nearestOf([
        { ...twice, at: east(5) },
        { ...twice, at: [44.35, -76.6] },
      ]),
    ).to.deep.equal({ state: 'absent' });
    const street = [1, 3, 5, 7, 9].map((civic) => ({
      civic,
      street: ['Row', 'RD'] as const,
      at: [44.3 + civic / 1e5, -76.4] as const,
    }));
    const outlier = { civic: 4, street: ['Row', 'RD'], at: east(3) } as const;
    expect(await nearestOf([...street, outlier])).to.deep.equal({ state: 'absent' });
  });

  it('is not known from a register that was imported without the table', async () => {
    using folder = temporaryFolder();
    writeRegister(folder.path, [{ ...row, civic: 1, street: ['Main', 'ST'], at: east(0) }]);
    const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
    await importAddresses({ from: folder.path, gpkg });
    const db = new Database(gpkg);
    db.exec(`UPDATE gazetteer_directory SET data = CAST(json_remove(CAST(data AS TEXT), '$.near') AS BLOB);
      DROP TABLE gazetteer_near; DELETE FROM gpkg_contents WHERE table_name = 'gazetteer_near'`);
    db.close();
    const dataset = openImmutable(gpkg);
    expect(openGazetteer(dataset).nearest(at)).to.deep.equal({ state: 'unavailable' });
    dataset.close();
  });
});
