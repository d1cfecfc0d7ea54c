/** `load-layers --check` against servers that have changed: what an operator runs first, and sends to the project. */
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadLayers } from '../support/drivers/load-layers.ts';
import type { SourcePart } from '../../src/catalogue/definition.ts';
import type { DownloadedFeature } from '../../src/messages/import.ts';
import type { ServedField, ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { square } from '../support/material/sources.ts';

const LIO = 'LIO_OPEN_DATA/LIO_Open05/MapServer';
const INSIDE = [-79.999, 44.001] as const;
const OUTSIDE = [-70, 44] as const;

const text = (name: string): ServedField => ({ name, type: 'esriFieldTypeString' });

function served(
  at: Pick<ServedLayer, 'service' | 'id' | 'name'>,
  fields: readonly string[],
  rows: readonly DownloadedFeature['attributes'][],
): ServedLayer {
  const features = rows.map((attributes, i): DownloadedFeature => {
    const ring = square(-80 + (i % 100) * 0.01, 44 + Math.floor(i / 100) * 0.01, 0.005);
    return { attributes, geometry: { type: 'Polygon', coordinates: [ring] } };
  });
  return { ...at, geometry: 'polygon', fields: fields.map(text), features, maxRecordCount: 300 };
}

/** Every second one is of a kind that no definition knows. */
const sites = Array.from({ length: 2000 }, (_, i) => ({
  KIND: ['Pit', 'Pit', 'Salt Mine', null][Math.floor(i / 2) % 4]!,
  STATE: i % 2 === 0 ? 'Open' : 'Asleep',
}));

const fields = { NAME: { type: 'string', required: false } } as const;
const licence = { id: 'a licence', url: null };

function part(publisher: string, server: string, given: Partial<SourcePart> = {}): SourcePart {
  return {
    ...{ publisher, kind: 'floodplain', server, service: 'Floods/FeatureServer', names: ['Floods'], layerIdHint: 1 },
    ...{ licence, attribution: 'Theirs', coverage: 'positive_only', use: true },
    control: { inside: [INSIDE], outside: [OUTSIDE], confirmed: null },
    ...given,
  };
}

const answer = { title: 'Kind', description: 'Kind', group: 'nature', kind: 'value' } as const;

function definitions(server: string): Readonly<Record<string, object>> {
  const arcgis = (name: string, layerIdHint: number) => [
    { kind: 'arcgis', service: LIO, names: [name], layerIdHint, confirmed: null } as const,
  ];
  return {
    sites: definitionOf({
      ...{ geometry: 'polygon', sources: arcgis('Sites', 1) },
      fields: {
        KIND: { type: 'string', required: true },
        STATE: { type: 'string', required: false, alternatives: ['STATUS'] },
        OWNER: { type: 'string', required: false },
      },
      counts: [{ field: 'STATE', yes: ['Open'], no: ['Closed'] }],
      answers: [{ ...answer, order: 1, key: 'siteKind', field: 'KIND', codes: { Pit: 'pit' } }],
    }),
    lakes: definitionOf({ geometry: 'polygon', sources: arcgis('Lakes', 4), fields }),
    dunes: definitionOf({ geometry: 'polygon', sources: arcgis('Dunes', 9), fields }),
    floods: definitionOf({
      ...{ geometry: 'polygon', fields, coverage: 'features' },
      sources: [
        {
          ...{ kind: 'composite', accepts: ['floodplain'], confirmed: null },
          parts: [
            part('First', server),
            part('Second', server, { control: { inside: [OUTSIDE, INSIDE], outside: [INSIDE], confirmed: null } }),
            part('Third', server, { names: ['Rain'] }),
          ],
        },
      ],
    }),
  };
}

describe('a check of all sources', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let report: { readonly code: number; readonly text: string };

  /** Cells of the rows of a data set. */
  const rowsOf = (id: string): string[][] =>
    report.text
      .split('\n')
      .map((line) => line.split(/ {2,}/))
      .filter(([first]) => first === id);

  before(async () => {
    await using server = await ArcgisServer.start([
      served({ service: LIO, id: 7, name: 'SITES' }, ['KIND', 'STATE', 'COLOUR'], sites),
      served({ service: LIO, id: 4, name: 'Lakes and Ponds' }, ['NAME'], [{ NAME: 'A' }, { NAME: 'B' }]),
      served({ service: 'Floods/FeatureServer', id: 3, name: 'Floods' }, ['NAME'], [{ NAME: 'A' }]),
    ]);
    const layersDir = writeDefinitions(join(folder.path, 'layers'), definitions(server.url));
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    const output = capturedOutput();
    const retry = { attempts: 2, firstMs: 1, mostMs: 1 };
    const code = await loadLayers(config, { check: true, server: server.url, retry }, output);
    report = { code, text: output.text() };
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('says what each layer is called now, its id, its features, and which fields are missing or new', () => {
    const [row] = rowsOf('sites');
    expect(row!.slice(0, 5)).to.deep.equal(['sites', 'by name', 'SITES', '7', '2,000']);
    expect(row).to.include('OWNER');
    expect(row!.at(-1)).to.match(/; new fields: COLOUR$/);
    expect(rowsOf('lakes')[0]!.slice(0, 5)).to.deep.equal(['lakes', 'by id alone', 'Lakes and Ponds', '4', '2']);
  });

  it('counts the words that no definition knows in 1,000 rows from the whole layer', () => {
    // Every second row is read: 1,000 of 2,000, which are all open.
    const [row] = rowsOf('sites');
    expect(row).to.include('250 in 1,000 rows');
    expect(row!.at(-1)).to.include('unknown words: KIND "Salt Mine" 250');
    expect(rowsOf('lakes')[0]).to.include('has no codes');
  });

  it('asks every part at its control points, and names each place where one answers otherwise', () => {
    const [first, second, third] = rowsOf('floods');
    expect(first).to.include.members(['by name', 'Floods', '2 right', 'fetch it']);
    expect(second).to.include.members(['NO', 'LEAVE IT OUT: not known in its area']);
    const place = 'Floods/FeatureServer/3 ("Floods")';
    const wrong = 'finds nothing at 44, -70, which is known to be inside, and finds a feature at 44.001, -79.999';
    expect(second!.at(-1)).to.include('Second, floodplain: layers/floods.json:1 does not fit: ');
    expect(second!.at(-1)).to.include(`${place} ${wrong}, which is known to be outside`);
    expect(third!.at(-1)).to.include('has no layer named "Rain"; it has: 3 Floods');
  });

  it('names what a service has in place of a layer that is gone, and fails', () => {
    const [row] = rowsOf('dunes');
    expect(row!.slice(0, 2)).to.deep.equal(['dunes', 'NO']);
    expect(row).to.include('FAIL');
    expect(row!.at(-1)).to.include('has no layer named "Dunes"; it has: 7 SITES, 4 Lakes and Ponds');
    expect(report.code).to.equal(2);
  });

  it('can be sent to the project: it says what was asked with what, and no paths', () => {
    expect(report.text).to.match(/^land-lookup \d+\.\d+\.\d+, definitions [0-9a-f]{12}, asked http\S+ on \d{4}-/);
    expect(report.text).not.to.include(folder.path);
    expect(readdirSync(join(folder.path, 'data', 'sources'))).to.deep.equal(['.lock']);
  });

  it('goes on when a server breaks off in the middle of the samples', async () => {
    await using server = await ArcgisServer.start([
      served({ service: LIO, id: 7, name: 'Sites' }, ['KIND'], sites),
      served({ service: LIO, id: 4, name: 'Lakes' }, ['NAME'], [{ NAME: 'A' }]),
    ]);
    server.faults = (query) => (query.get('outFields')?.includes('KIND') === true ? 'status 500' : null);
    const all = definitions(server.url);
    const layersDir = writeDefinitions(join(folder.path, 'two'), { sites: all['sites']!, lakes: all['lakes']! });
    const output = capturedOutput();
    const retry = { attempts: 2, firstMs: 1, mostMs: 1 };
    const config = { dataDir: join(folder.path, 'other'), layersDir };
    expect(await loadLayers(config, { check: true, server: server.url, retry }, output)).to.equal(2);
    expect(output.text()).to.match(/^sites +NO ANSWER .* FAIL +\S+\/7\/query: .*500/m);
    expect(output.text()).to.match(/^lakes +by name +Lakes +4 +1 .* fetch it/m);
  });
});
