import Database from 'better-sqlite3';
import { formatAddress } from '../../../src/addresses/format.ts';
import type { ImportProgress } from '../../../src/messages/import.ts';
import { underLoadLock } from '../../geopackage/load-lock.ts';
import { gdal } from '../../geopackage/gdal.ts';
import { componentsOf } from '../../engine/gazetteer/candidate.ts';
import { geocode } from '../../engine/gazetteer/geocode.ts';
import { nearSquareOf } from '../../engine/gazetteer/near-grid.ts';
import { encodeNearSquare, type NamedStreet } from '../../engine/gazetteer/near-square.ts';
import { GazetteerStore } from '../../engine/gazetteer/store.ts';
import { tables } from '../../engine/gazetteer/tables.ts';
import type { NearStaging, StagedPoint } from './near-staging.ts';
import type { StreetIndex } from './street-index.ts';

export interface WriteNearOptions {
  /** The GeoPackage with the other tables of the gazetteer. Nobody may have it open. */
  readonly gpkg: string;
  readonly streets: StreetIndex;
  readonly onProgress: (progress: ImportProgress) => void;
}

/**
 * Writes the table of civic points by square. It has only addresses that the gazetteer itself finds by their text, so that an
 * address near a place can be looked up.
 */
export function writeNear(staging: NearStaging, { gpkg, streets, onProgress }: WriteNearOptions): void {
  const total = staging.count();
  const nameOf = ({ street, spelling, csd }: StagedPoint): NamedStreet => {
    const { mail, spellings } = streets.streets[street]!;
    return { csd, mail, ...(spellings[spelling] ?? spellings[0]!) };
  };
  // GDAL closes the file before better-sqlite3 opens it: a file is never open in both.
  keepFindable(staging, { gpkg, nameOf }, (done) => {
    onProgress({ kind: 'rows', name: 'register addresses by place', unit: 'rows', done, total });
  });
  const db = new Database(gpkg, { fileMustExist: true });
  try {
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = OFF');
    const insert = db.prepare(`INSERT INTO ${tables.near} VALUES (?, ?)`);
    db.exec('BEGIN');
    for (const points of staging.bySquare()) {
      const square = nearSquareOf(points[0]!)!;
      insert.run(
        square.id,
        encodeNearSquare(
          points.map((point) => named(point, nameOf(point))),
          square,
        ),
      );
    }
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

interface Naming {
  readonly gpkg: string;
  readonly nameOf: (point: StagedPoint) => NamedStreet;
}

/** Drops points whose address the gazetteer refuses, or takes for another one. */
function keepFindable(staging: NearStaging, { gpkg, nameOf }: Naming, onRows: (done: number) => void): void {
  const dataset = underLoadLock(() =>
    gdal.drivers.get('GPKG').open(gpkg, 'r', { IMMUTABLE: 'YES', LIST_ALL_TABLES: 'NO' }),
  );
  try {
    const store = new GazetteerStore(dataset);
    // Points of one number follow each other and often have one address.
    let last = { text: '', isFound: false };
    staging.keepOnly((point) => {
      const text = formatAddress(componentsOf(nameOf(point), { ...named(point, nameOf(point)), unit: null }, store));
      if (text !== last.text) {
        const result = geocode(text, store);
        last = { text, isFound: 'found' in result && result.found.address === text };
      }
      return last.isFound;
    }, onRows);
  } finally {
    dataset.close();
  }
}

function named({ civic, suffix, postalCode, blockface, lat, lon }: StagedPoint, street: NamedStreet) {
  return {
    civic,
    suffix: suffix || null,
    postalCode: postalCode || null,
    blockface: blockface === 1,
    lat,
    lon,
    street,
  };
}
