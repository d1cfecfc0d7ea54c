import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { findSource } from '../../workers/import/sources/find-source.ts';
import { openSource } from '../../workers/import/sources/open-source.ts';
import { readBatches } from '../../workers/import/sources/load-features.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { polygon } from '../support/material/sources.ts';
import { zipFolder } from '../support/material/zip.ts';

const COUNT = 3000;

/** Round polygons of 25 vertices: 3,000 of them take more than GDAL buffers. */
function round(i: number) {
  const random = seededRandom(i);
  const ring = Array.from({ length: 25 }, (_, k): [number, number] => {
    const [angle, radius] = [(k / 24) * 2 * Math.PI, k % 24 === 0 ? 0.001 : 0.001 + random() * 1e-5];
    return [
      -80 + (i % 100) / 100 + radius * Math.cos(angle),
      44 + Math.floor(i / 100) / 100 + radius * Math.sin(angle),
    ];
  });
  ring[24] = ring[0]!;
  return polygon([ring], { NAME: `area ${i}` });
}

/** A zip file with a FileGDB whose features have these ids, in the order in which they are written. */
function zipped(folder: string, ids: readonly number[]): string {
  const features = ids.map((id, i) => ({ type: 'Feature', id, ...round(i) }));
  const json = join(folder, 'rounds.geojson');
  writeFileSync(json, JSON.stringify({ type: 'FeatureCollection', features }));
  const gdb = join(folder, 'Non_Sensitive.gdb');
  ogr2ogr('-f', 'OpenFileGDB', gdb, json, '-nln', 'AREA', '-preserve_fid');
  const zip = join(folder, 'AREA.zip');
  zipFolder(zip, gdb);
  return zip;
}

function placeOf(folder: string, file: string) {
  return { file, unpacked: join(folder, 'unpacked'), minFreeBytes: 0, layer: 'AREA' };
}

function namesIn(path: string): unknown[] {
  const source = openSource(path, { layer: 'AREA', where: null, crs: null });
  const columns = [{ name: 'NAME', type: 'string' }] as const;
  const batches = [...readBatches(source, columns, new Map([['NAME', 'NAME']]))];
  source.close();
  return batches.flatMap(({ values }) => values.flat());
}

const ascending = Array.from({ length: COUNT }, (_, i) => i + 1);
const descending = ascending.toReversed();

describe('a FileGDB in a zip file', function () {
  this.timeout(240_000);

  it('is read in place when its rows lie in the order of their ids', async () => {
    using folder = temporaryFolder();
    const path = await findSource(placeOf(folder.path, zipped(folder.path, ascending)));
    expect(path).to.equal(`/vsizip/{${join(folder.path, 'AREA.zip')}}/Non_Sensitive.gdb`);
    expect(existsSync(join(folder.path, 'unpacked'))).to.equal(false);
    expect(namesIn(path)).to.deep.equal(ascending.map((id) => `area ${id - 1}`));
  });

  it('is unpacked when they lie in another order, because GDAL would inflate it over and over', async () => {
    using folder = temporaryFolder();
    const path = await findSource(placeOf(folder.path, zipped(folder.path, descending)));
    expect(path).to.equal(join(folder.path, 'unpacked', 'Non_Sensitive.gdb'));
    expect(namesIn(path)).to.deep.equal(ascending.map((id) => `area ${COUNT - id}`));
  });

  it('is refused when a byte of it has changed', async () => {
    using folder = temporaryFolder();
    const zip = zipped(folder.path, ascending);
    const bytes = readFileSync(zip);
    const at = bytes.length >> 1;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(zip, bytes);
    const failure = await findSource(placeOf(folder.path, zip)).then(String, String);
    expect(failure).to.match(/the zip file cannot be read: /);
  });
});
