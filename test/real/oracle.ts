/**
 * Answers for places straight from the source files, by SpatiaLite SQL: an independent statement of what every loaded
 * layer must say over the real extracts. Nothing here comes from the service's code or from its layer definitions.
 */
import { join } from 'node:path';
import { Spatialite } from './spatialite.ts';

export interface Place {
  readonly id: number;
  readonly lat: number;
  readonly lon: number;
}

/** One layer's expected values by place id. A set holds more than one where the place is too near a limit to tell. */
export type Expected = Map<number, readonly unknown[]>;

interface NamedDistance {
  readonly distanceM: number;
  readonly name: string;
}

/** UTM, by the zone that a longitude lies in. */
const ZONES = [15, 16, 17, 18] as const;
const zoneOf = (lon: number): number => Math.min(18, Math.max(15, Math.floor((lon + 180) / 6) + 1));

/** What two projections may differ by over some hundred metres, in metres. */
const DISTANCE_TOLERANCE_M = 0.5;

/** Some centimetres: what an edge of a kilometre, straight in degrees, bends in the projection, and what rounding moves. */
const EDGE_DEGREES = 5e-7;

export class Oracle {
  readonly #db: Spatialite;
  readonly #sources: string;
  readonly #places: readonly Place[];
  readonly #edges: boolean;

  /** `edges`: beside an edge, what is right on either side counts; it takes several times as long. */
  constructor(folder: string, sources: string, places: readonly Place[], { edges = false } = {}) {
    this.#edges = edges;
    this.#db = new Spatialite(folder);
    this.#sources = sources;
    this.#places = places;
    this.#db.addPoints('place', places, 'OGC:CRS84');
    for (const zone of ZONES) {
      const here = places.filter(({ lon }) => zoneOf(lon) === zone);
      if (here.length > 0) this.#db.addPoints(`place_utm${zone}`, here, `EPSG:269${zone}`);
    }
  }

  /** The first polygon at each place: its attributes by place id. */
  inside(file: string, columns: readonly string[], where?: string): Map<number, Record<string, string>> {
    const table = this.#load(file, 'OGC:CRS84', where);
    const picked = ['p.id AS id', 's.ogc_fid AS fid', ...columns.map((column) => `s.${column} AS ${column}`)];
    const rows = this.#db.select(
      `SELECT ${picked.join(', ')} FROM place p JOIN ${table} s
       ON ST_Intersects(s.geometry, p.geometry) ORDER BY p.id, s.ogc_fid`,
    );
    const found = new Map<number, Record<string, string>>();
    for (const row of rows) if (!found.has(Number(row['id']))) found.set(Number(row['id']), row);
    return found;
  }

  /** The polygons whose edge is so near to a place that rounding decides on which side it is: their attributes by place id. */
  #onEdge(file: string, columns: readonly string[], where?: string): Map<number, Record<string, string>[]> {
    const table = this.#load(file, 'OGC:CRS84', where);
    const picked = ['p.id AS id', ...columns.map((column) => `s.${column} AS ${column}`)];
    const by = EDGE_DEGREES;
    const rows = this.#db.select(
      `SELECT ${picked.join(', ')} FROM place p JOIN ${table} s
       ON MbrMinX(s.geometry) - ${by} <= ST_X(p.geometry) AND MbrMaxX(s.geometry) + ${by} >= ST_X(p.geometry)
       AND MbrMinY(s.geometry) - ${by} <= ST_Y(p.geometry) AND MbrMaxY(s.geometry) + ${by} >= ST_Y(p.geometry)
       WHERE ST_Distance(ST_Boundary(s.geometry), p.geometry) < ${by}`,
    );
    const found = new Map<number, Record<string, string>[]>();
    for (const row of rows) found.set(Number(row['id']), [...(found.get(Number(row['id'])) ?? []), row]);
    return found;
  }

  /** Ground metres to the features within `reachM` of each place, with one column, by place id. */
  distances(files: readonly string[], column: string | null, reachM: number): Map<number, NamedDistance[]> {
    const found = new Map<number, NamedDistance[]>();
    const zones = ZONES.filter((zone) => this.#places.some(({ lon }) => zoneOf(lon) === zone));
    for (const { id, ...near } of zones.flatMap((zone) =>
      files.flatMap((file) => this.#distancesIn(zone, file, { column, reachM })),
    )) {
      found.set(id, [...(found.get(id) ?? []), near]);
    }
    return found;
  }

  #distancesIn(
    zone: (typeof ZONES)[number],
    file: string,
    { column, reachM }: { readonly column: string | null; readonly reachM: number },
  ): (NamedDistance & { readonly id: number })[] {
    const table = this.#load(file, `EPSG:269${zone}`);
    const name = column === null ? "''" : `s.${column}`;
    const near = `MbrMinX(s.geometry) - ${reachM} <= ST_X(p.geometry) AND MbrMaxX(s.geometry) + ${reachM} >= ST_X(p.geometry)
      AND MbrMinY(s.geometry) - ${reachM} <= ST_Y(p.geometry) AND MbrMaxY(s.geometry) + ${reachM} >= ST_Y(p.geometry)`;
    const rows = this.#db.select(
      `SELECT p.id AS id, ST_X(p.geometry) AS x, ${name} AS name, ST_Distance(s.geometry, p.geometry) AS d
       FROM place_utm${zone} p JOIN ${table} s ON ${near}`,
    );
    return rows
      .map(({ id, x, name: label = '', d }) => ({
        id: Number(id),
        name: label,
        distanceM: Number(d) / utmScale(Number(x)),
      }))
      .filter(({ distanceM }) => distanceM <= reachM);
  }

  /** Each file once per reference system; row numbers go on from file to file. */
  readonly #loaded = new Map<string, string>();
  #load(file: string, srs: string, where?: string): string {
    const key = `${file} ${srs} ${where ?? ''}`;
    let table = this.#loaded.get(key);
    if (table === undefined) {
      table = `source_${this.#loaded.size}`;
      this.#db.addFile(table, join(this.#sources, file), { srs, ...(where === undefined ? {} : { where }) });
      this.#loaded.set(key, table);
    }
    return table;
  }

  /** A value for every place: from the first polygon there, else `absent` inside the coverage and null elsewhere. */
  byPolygon(
    options: { file: string; columns?: readonly string[]; where?: string; coverage?: string | null },
    value: (row: Record<string, string>) => unknown,
    absent: unknown,
  ): Expected {
    const found = this.inside(options.file, options.columns ?? [], options.where);
    const edges = this.#edges
      ? this.#onEdge(options.file, options.columns ?? [], options.where)
      : new Map<number, Record<string, string>[]>();
    const known = this.#known(options.coverage);
    return this.each(({ id }) => {
      const row = found.get(id);
      const none = known(id) ? absent : null;
      const right = row ? value(row) : none;
      const near = edges.get(id);
      return near ? [right, none, ...near.map(value)] : [right];
    });
  }

  /** A distance class for every place. `limits` may depend on the feature's name. */
  byDistance(
    options: {
      files: readonly string[];
      column?: string;
      coverage?: string | ((place: Place) => boolean) | null;
    },
    limits: (name: string) => readonly (readonly [string, number])[],
  ): Expected {
    const reachM = 600;
    const found = this.distances(options.files, options.column ?? null, reachM);
    const known = typeof options.coverage === 'function' ? options.coverage : null;
    const inArea = known ? null : this.#known(options.coverage as string | null | undefined);
    return this.each((place) => {
      const isKnown = known ? known(place) : inArea!(place.id);
      const classAt = (shiftM: number): unknown => {
        const classes = (found.get(place.id) ?? []).flatMap(({ distanceM, name }) => {
          const shifted = distanceM === 0 ? 0 : Math.max(0, distanceM + shiftM);
          const index = limits(name).findIndex(([, limit]) => shifted <= limit);
          return index < 0 ? [] : [{ index, label: limits(name)[index]![0] }];
        });
        const best = classes.sort((a, b) => a.index - b.index)[0];
        return best ? best.label : isKnown ? 'outside' : null;
      };
      return [...new Set([classAt(0), classAt(-DISTANCE_TOLERANCE_M), classAt(DISTANCE_TOLERANCE_M)])];
    });
  }

  /** `undefined`: known everywhere. `null`: known only where something is found. A file: known inside its polygons. */
  #known(coverage: string | null | undefined): (id: number) => boolean {
    if (coverage === undefined) return () => true;
    if (coverage === null) return () => false;
    const inside = this.inside(coverage, []);
    return (id) => inside.has(id);
  }

  /** What `answer` says of every place. */
  each(answer: (place: Place) => readonly unknown[]): Expected {
    return new Map(this.#places.map((place) => [place.id, answer(place)]));
  }
}

/** Scale of UTM at an easting, on a sphere of the mean radius: good to 1e-6 here. */
function utmScale(easting: number): number {
  const x = (easting - 500_000) / 0.9996;
  return 0.9996 * (1 + x ** 2 / (2 * 6_378_000 ** 2));
}
