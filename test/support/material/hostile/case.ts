import { geoJson, polygon, square } from '../sources.ts';

/** Where the corpus is written. */
export interface Place {
  /** Folder of the sources. */
  readonly from: string;
  /** Folder beside it, whose files must not be read. */
  readonly outside: string;
  /** Address of a listening socket, which nobody must ask. */
  readonly address: string;
  /** Folder with a good file in each format: `good.gpkg`, `good.shp`, `good.gdb`, `good.geojson`. */
  readonly good: string;
}

/** A hostile source, alone in its data set. */
export interface HostileCase {
  readonly what: string;
  /** Its extension, or another ending of its name. */
  readonly ending: string;
  /**
   * What an import did before it checked its sources, with GDAL 3.6: asked the socket, read a file outside, never ended, ended
   * with all other data sets, or published the file.
   */
  readonly before?: 'asked' | 'read outside' | 'never ended' | 'ended the import' | 'imported';
  /** Writes it. `path` has the ending. */
  readonly write?: (path: string, place: Place) => void;
  /** Members of its entry in `sources.json`, when the file is not all. */
  readonly entry?: (place: Place) => object;
  /** The error that the import gives. */
  readonly says: RegExp;
}

/** Stands in files outside the folder and must not be in the result. */
export const CANARY = 'CANARY-7f3a';

export const goodFeature = polygon([square(-79.5, 43.5, 0.02)], { NAME: 'a' });
export const goodJson = geoJson([goodFeature]);

/** A collection with more members before its features. */
export function jsonWith(members: object): string {
  const features = [{ type: 'Feature', ...goodFeature }];
  return JSON.stringify({ type: 'FeatureCollection', ...members, features });
}
