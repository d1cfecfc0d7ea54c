/** Changes that are announced: what the definitions say of them is what clients, people and agents read. */
import { expect } from 'chai';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLayers } from '../../src/core/layers/describe-layers.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { describeOneLayer } from '../../src/features/agents/describe-layers.ts';
import type { SnapshotManifest } from '../../src/messages/manifest.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const empty: SnapshotManifest = {
  ...{ format: 1, id: 'test', createdAt: '2026-11-26T12:00:00.000Z', sample: false, definitions: '' },
  checksum: { file: 'land.gpkg', sha256: '', bytes: 0 },
  ...{ dataSets: {}, gazetteer: null, cells: null },
};

const published = describeLayers(readCatalogue(join(projectDir, 'layers')), empty);

/** The catalogue with other changes of the authorities' areas. */
function withAnnounced(announced: readonly object[]) {
  using folder = temporaryFolder();
  cpSync(join(projectDir, 'layers'), folder.path, { recursive: true });
  const file = join(folder.path, 'ca_admin_areas.json');
  const definition = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...definition, announced }));
  return describeLayers(readCatalogue(folder.path), empty);
}

const change = { from: '2027-01-01', en: 'It changes.', fr: 'Cela change.', url: 'https://example.org/change' };

describe('Announced changes', () => {
  it('tell of the merger of the conservation authorities, in both languages, where it matters', () => {
    const told = published.layers.filter(({ dataSets }) => dataSets.some(({ announced }) => announced.length > 0));
    expect(told.map(({ key }) => key)).to.include.members(['caBoundary', 'floodProximity', 'regulatedArea']);
    for (const { dataSets } of told) {
      const [announced] = dataSets.flatMap((dataSet) => dataSet.announced);
      expect(announced!.en).to.match(
        /^On 2026-03-10 Ontario announced that its 36 .+ nine regional ones in early 2027\./,
      );
      expect(announced!.fr).to.match(/^Le 10 mars 2026, .+ 36 offices .+ neuf offices régionaux au début de 2027\./);
      expect(announced!.from, 'nobody has published the day').to.equal(null);
    }
    const others = published.layers.filter(({ key }) => ['greenbelt', 'wetlandProximity'].includes(key));
    expect(others.flatMap(({ dataSets }) => dataSets.flatMap(({ announced }) => announced))).to.deep.equal([]);
  });

  it('reach the catalogue and the agents as the definition has them', () => {
    const layers = withAnnounced([change]);
    const [dataSet] = layers.layers.find(({ key }) => key === 'caBoundary')!.dataSets;
    expect(dataSet!.announced).to.deep.equal([change]);
    const told = describeOneLayer(layers, 'caBoundary', 10_000) as { dataSets: readonly object[] };
    const { from, en, url } = change;
    expect(told.dataSets[0]).to.deep.include({ announced: [{ from, change: en, url }] });
    const without = describeOneLayer(layers, 'greenbelt', 10_000) as { dataSets: readonly object[] };
    expect(without.dataSets[0]).not.to.have.property('announced');
  });

  it('are refused without a language, with an address that is no link, and with a day that is none', () => {
    const { fr, ...english } = change;
    expect(fr).to.be.a('string');
    for (const wrong of [
      english,
      { ...change, url: 'example.org' },
      { ...change, from: 'early 2027' },
      { ...change, from: '2027-02-30' },
    ])
      expect(() => withAnnounced([wrong]), JSON.stringify(wrong)).to.throw(/^layers\/ca_admin_areas\.json: /);
  });
});
