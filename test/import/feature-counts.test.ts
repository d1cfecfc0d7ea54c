/** Files whose own count of features is old. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProgressDisplay } from '../../src/core/terminal/progress-display.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { importEach } from '../support/drivers/import-each.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { geoJson, polygon, square } from '../support/material/sources.ts';

const areas = [0, 1, 2].map((i) => polygon([square(-79.5 + i * 0.1, 43.5, 0.02)], { NAME: `area ${i}` }));

describe('import of a GeoPackage with a count of its own', function () {
  this.timeout(60_000);

  it('goes by the rows of the table', async () => {
    using folder = temporaryFolder();
    const geojson = join(folder.path, 'areas.geojson');
    writeFileSync(geojson, geoJson(areas));
    /** A GeoPackage of three areas, changed by SQL. */
    const made = (name: string, sql: string): Record<string, Buffer> => {
      const file = join(folder.path, `${name}.gpkg`);
      ogr2ogr('-f', 'GPKG', file, geojson, '-nln', 'a "quoted" name');
      const db = new Database(file);
      db.exec(sql);
      db.close();
      return { [`${name}.gpkg`]: readFileSync(file) };
    };
    const withCount = (count: string): string => `UPDATE gpkg_ogr_contents SET feature_count = ${count}`;
    const { outcomes } = await importEach(join(folder.path, 'run'), {
      none: { files: made('none', 'DROP TABLE gpkg_ogr_contents') },
      unknown: { files: made('unknown', withCount('NULL')) },
      small: { files: made('small', withCount('1')) },
      zero: { files: made('zero', withCount('0')) },
      negative: { files: made('negative', withCount('-5')) },
      large: { files: made('large', withCount('24')) },
      chosen: { files: made('chosen', withCount('1')), entry: { where: "NAME <> 'area 1'" } },
    });
    const counts = Object.entries(outcomes).map(([id, outcome]) => [
      id,
      'error' in outcome ? outcome.error : outcome.record.featureCount,
    ]);
    expect(Object.fromEntries(counts)).to.deep.equal({
      ...{ none: 3, unknown: 3, small: 3, zero: 3, negative: 3, large: 3, chosen: 2 },
    });
  });
});

describe('the display of progress', () => {
  for (const isTTY of [true, false])
    it(`shows whatever it is told, ${isTTY ? 'on a terminal' : 'in a log'}`, () => {
      const output = { ...capturedOutput(), isTTY };
      const display = new ProgressDisplay(output);
      for (const [done, total] of [[2, 1], [1e9, 1], [-3, 2], [0, 0], [5, 0], [NaN, 3], [3, NaN], [7, null]] as const) // prettier-ignore
        for (const unit of ['rows', 'bytes'] as const)
          display.show({ kind: 'rows', name: `${done} of ${total}`, unit, done, total, overall: { unit, done, total: total ?? 0, found: 9 } }); // prettier-ignore
      display.end();
    });
});
