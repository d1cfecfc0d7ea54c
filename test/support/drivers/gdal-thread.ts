/** A Piscina task for the thread tests: reads features of a GeoPackage and keeps the GDAL objects alive. */
import Database from 'better-sqlite3';
import type Gdal from 'gdal-async';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import { underLoadLock } from '../../../workers/geopackage/load-lock.ts';

export interface ReadTask {
  readonly file: string;
  /** `throw-outside`: an exception that no task catches; `exit`: the thread ends itself. */
  readonly then?: 'throw-outside' | 'exit';
}

let dataset: Gdal.Dataset | null = null;

/** Under the lock, as every thread of the service does: the first open initialises drivers. */
function firstOpen(file: string): Gdal.Dataset {
  return (dataset ??= underLoadLock(() => gdal.open(file)));
}

/** Alive on purpose when the thread ends: freeing them after the library was unmapped is the crash to be found. */
const kept: unknown[] = [];

/** The other native module of the service, with a statement and an iterator that are open when the thread ends. */
function keepSqliteObjects(): void {
  const db = new Database(':memory:');
  const rows = db.prepare('VALUES (1), (2), (3)').iterate();
  rows.next();
  kept.push(db, rows);
}

export default function readAll({ file, then }: ReadTask): Promise<number> {
  if (then === 'exit') process.exit(3);
  if (then === 'throw-outside') {
    return new Promise(() => {
      setImmediate(() => {
        throw new Error('thrown outside any task');
      });
    });
  }
  keepSqliteObjects();
  const layer = firstOpen(file).layers.get(0);
  let vertices = 0;
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    kept.push(feature, geometry);
    vertices += geometry?.toWKB().length ?? 0;
  });
  return Promise.resolve(vertices);
}
