import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A scratch SpatiaLite database filled and asked through GDAL's own programs: an oracle that shares no code with the
 * service.
 */
export class Spatialite {
  readonly #file: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'oracle.sqlite');
    execFileSync('ogr2ogr', ['-f', 'SQLite', '-dsco', 'SPATIALITE=YES', this.#file, this.#csv('start', 'id,x\n0,0\n')]);
  }

  /**
   * Adds a vector file as a table, its geometry in `srs` and made valid, its rows in the file's order from 1.
   */
  addFile(table: string, file: string, options: { readonly srs: string; readonly where?: string }): void {
    const source = file.endsWith('.zip') ? `/vsizip/${file}` : file;
    const where = options.where === undefined ? [] : ['-where', options.where];
    this.#ogr2ogr([
      source,
      '-nln',
      table,
      '-append',
      '-t_srs',
      options.srs,
      '-dim',
      'XY',
      '-nlt',
      'GEOMETRY',
      ...where,
    ]);
  }

  /** Adds numbered points in degrees as a table, reprojected to `srs`. */
  addPoints(table: string, points: readonly { id: number; lat: number; lon: number }[], srs: string): void {
    const rows = points.map(({ id, lat, lon }) => `${id},${lon},${lat}\n`).join('');
    const file = this.#csv(table, `id,lon,lat\n${rows}`);
    const columns = ['-oo', 'X_POSSIBLE_NAMES=lon', '-oo', 'Y_POSSIBLE_NAMES=lat', '-oo', 'AUTODETECT_TYPE=YES'];
    this.#ogr2ogr([file, ...columns, '-nln', table, '-s_srs', 'OGC:CRS84', '-t_srs', srs]);
  }

  /** Rows of a SELECT, every value as text. */
  select(sql: string): Record<string, string>[] {
    const out = join(this.#folder, 'answer.geojson');
    execFileSync('ogr2ogr', ['-f', 'GeoJSON', out, this.#file, '-sql', sql], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { features } = JSON.parse(execFileSync('cat', [out], { encoding: 'utf8', maxBuffer: 1 << 30 })) as {
      features: { properties: Record<string, string | number | null> }[];
    };
    execFileSync('rm', [out]);
    return features.map(({ properties }) =>
      Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [name, value === null ? '' : String(value)]),
      ),
    );
  }

  #csv(name: string, text: string): string {
    const file = join(this.#folder, `${name}.csv`);
    writeFileSync(file, text);
    return file;
  }

  #ogr2ogr(args: string[]): void {
    execFileSync('ogr2ogr', ['-update', this.#file, ...args, '-gt', '100000'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}
