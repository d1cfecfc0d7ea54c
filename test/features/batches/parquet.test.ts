/** Results as Parquet, read by DuckDB, which shares no code with the library that writes them. */
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultsStream } from '../../../src/features/batches/results.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { areaBody, foundLine, job, joinedBytes, oneOfEach, placeBody, storeOf } from './stored-results.ts';

const catalogue = readCatalogue(join(projectDir, 'layers'));
const attribution = ['Contains "A", and B.', 'Adapté de C.'];

type Row = Record<string, unknown>;

describe('Results as Parquet', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let instance: DuckDBInstance;
  before(async () => {
    instance = await DuckDBInstance.create(':memory:');
  });
  after(() => {
    instance.closeSync();
    folder[Symbol.dispose]();
  });

  let files = 0;
  /** Writes the results into a file and returns its path. */
  async function written(lines: readonly string[]): Promise<string> {
    const path = join(folder.path, `results-${++files}.parquet`);
    const options = { format: 'parquet', afterRow: 0, catalogue, attribution } as const;
    writeFileSync(path, await joinedBytes(resultsStream(storeOf(lines), job, options)));
    return path;
  }

  /** The rows of a query over the file `$file`. Values are as JSON has them. */
  async function query(path: string, sql: string): Promise<Row[]> {
    const connection = await instance.connect();
    try {
      const reader = await connection.runAndReadAll(sql.replaceAll('$file', `'${path}'`));
      return reader.getRowObjectsJson();
    } finally {
      connection.closeSync();
    }
  }

  it('have the columns of CSV with their types, and the geometry', async () => {
    const path = await written(oneOfEach);
    const columns = await query(path, 'DESCRIBE SELECT * FROM read_parquet($file)');
    const typeOf = Object.fromEntries(
      columns.map((column) => [column['column_name'], column['column_type']] as [string, string]),
    );
    const csv = resultsStream(storeOf(oneOfEach), job, { format: 'csv', afterRow: 0, catalogue, attribution });
    const [header] = (await joinedBytes(csv)).toString().split('\n');
    expect(Object.keys(typeOf)).to.deep.equal([...header!.split(',').slice(0, -1), 'geometry']);
    expect(typeOf).to.include({ row: 'BIGINT', custom_id: 'VARCHAR', status: 'BIGINT', code: 'VARCHAR' });
    expect(typeOf).to.include({ lookup_id: 'VARCHAR', address: 'VARCHAR', lat: 'DOUBLE', lon: 'DOUBLE' });
    expect(typeOf).to.include({ greenbelt: 'BOOLEAN', 'soil.cliClass': 'VARCHAR', area: 'VARCHAR' });
    expect(typeOf).to.include({ 'waterWells.count500m': 'BIGINT' });
  });

  it('have what the rows say, null where nothing is known', async () => {
    const [found, missing, area, failed] = await query(
      await written(oneOfEach),
      'SELECT * EXCLUDE (geometry) FROM read_parquet($file) ORDER BY row',
    );
    expect(found).to.deep.include({ row: '1', custom_id: '=1+1', status: '200', code: null, lat: 44.1, lon: -78.61 });
    expect(found).to.deep.include({ address: placeBody.address, greenbelt: false, ormcp: '=Core', nep: null });
    expect(found).to.deep.include({ 'soil.cliClass': '1', 'soil.description': null, 'waterWells.count500m': '2' });
    expect(missing).to.deep.include({ row: '2', custom_id: ',"body":{2', status: '404', code: 'ADDRESS_NOT_FOUND' });
    expect(missing).to.deep.include({ lookup_id: null, address: null, lat: null, greenbelt: null, area: null });
    expect(area).to.deep.include({ row: '3', custom_id: null, lat: 44.2, lon: -78.5, greenbelt: null });
    const { areaM2, repaired, insideOntarioShare, layers } = areaBody;
    expect(JSON.parse(area!['area'] as string)).to.deep.equal({ areaM2, repaired, insideOntarioShare, layers });
    expect(failed).to.deep.include({ row: '4', status: '500', code: 'INTERNAL', lat: null });
  });

  it('have the metadata of GeoParquet 1.1 and the statements of the licences', async () => {
    const metadata = await metadataOf(await written(oneOfEach));
    expect(JSON.parse(metadata['geo']!)).to.deep.equal({
      version: '1.1.0',
      primary_column: 'geometry',
      columns: { geometry: { encoding: 'WKB', geometry_types: ['Point'], bbox: [-78.61, 44.1, -78.5, 44.2] } },
    });
    expect(metadata['attribution']).to.equal(attribution.join('\n'));
  });

  it('have points where there is a place, longitude first, as a reader of GeoParquet sees them', async () => {
    const path = await written(oneOfEach);
    const rows = await query(
      path,
      'SELECT typeof(geometry) AS type, geometry::VARCHAR AS text FROM read_parquet($file) ORDER BY row',
    );
    expect(rows.map(({ text }) => text)).to.deep.equal(['POINT (-78.61 44.1)', null, 'POINT (-78.5 44.2)', null]);
    expect(rows[0]!['type']).to.equal("GEOMETRY('OGC:CRS84')");
  });

  it('are a file without rows when there is no answer', async () => {
    const path = await written([]);
    expect(await query(path, 'SELECT row, address FROM read_parquet($file)')).to.deep.equal([]);
    const { columns } = JSON.parse((await metadataOf(path))['geo']!) as { columns: unknown };
    expect(columns).to.deep.equal({ geometry: { encoding: 'WKB', geometry_types: [] } });
  });

  it('have row groups of 5,000 rows, with every row in its place', async () => {
    const count = 12_001;
    const lines = Array.from({ length: count }, (_, i) => {
      const layers = { ...placeBody.layers, greenbelt: i % 3 === 0, waterWells: { count500m: i % 7 } };
      return foundLine(
        i + 1,
        { ...placeBody, address: `${i} Main St`, lat: 44 + i / 1e5, layers },
        i % 2 ? null : `c${i}`,
      );
    });
    const path = await written(lines);
    const groups = await query(
      path,
      'SELECT DISTINCT row_group_id, row_group_num_rows AS n FROM parquet_metadata($file) ORDER BY 1',
    );
    expect(groups.map(({ n }) => n)).to.deep.equal(['5000', '5000', '2001']);
    const [sums] = await query(
      path,
      `SELECT count(*) AS rows, count(custom_id) AS ids, sum("waterWells.count500m") AS wells, count(DISTINCT address) AS addresses,
         count(*) FILTER (greenbelt) AS green,
         count(*) FILTER (address = (row - 1) || ' Main St' AND abs(lat - 44 - (row - 1) / 1e5) < 1e-9) AS right
       FROM read_parquet($file)`,
    );
    const wells = lines.reduce((sum, _, i) => sum + (i % 7), 0);
    expect(sums).to.deep.equal({
      ...{ rows: `${count}`, ids: `${Math.ceil(count / 2)}`, wells: `${wells}`, addresses: `${count}` },
      ...{ green: `${Math.ceil(count / 3)}`, right: `${count}` },
    });
    const [{ n }] = (await query(path, 'SELECT count(*) AS n FROM read_parquet($file) WHERE lat > 44.1')) as [Row];
    expect(n, 'by the statistics of the groups').to.equal(`${count - 10_001}`);
  });

  it('end a row group early when its texts are long', async () => {
    const layers = { greenbelt: { share: 0.5, unknownShare: 0 }, long: { parts: 'x'.repeat(20_000) } };
    const lines = Array.from({ length: 2000 }, (_, i) => foundLine(i + 1, { ...areaBody, layers }));
    const path = await written(lines);
    const groups = await query(path, 'SELECT DISTINCT row_group_id FROM parquet_metadata($file)');
    expect(groups.length).to.equal(3);
    const [{ n }] = (await query(path, 'SELECT count(DISTINCT row) AS n FROM read_parquet($file)')) as [Row];
    expect(n).to.equal('2000');
  });

  async function metadataOf(path: string): Promise<Record<string, string>> {
    const rows = await query(path, 'SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata($file)');
    return Object.fromEntries(rows.map(({ key, value }) => [key as string, value as string]));
  }
});
