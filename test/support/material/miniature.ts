/** A few drawn features, imported with the project's own definitions, and what every read path answers about them. */
import { expect } from 'chai';
import { join } from 'node:path';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { loadLayers } from '../drivers/load-layers.ts';
import { projectDir } from '../../../src/project/project.ts';
import { allAnswers, type Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { LayerEvidence } from '../../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import type { DataSetRecord } from '../../../src/messages/manifest.ts';
import { currentSnapshot } from '../../../src/core/snapshots/current.ts';
import { project } from '../../../workers/geopackage/lambert.ts';
import { openSnapshot, rulesOf, type Snapshot } from '../../../workers/geopackage/snapshot.ts';
import { neededFromIndex } from '../../../workers/engine/kinds/indexed-data-sets.ts';
import { openCells, readDirectory, type CellIndex } from '../../../workers/engine/cells/open.ts';
import { cellView } from '../../../workers/engine/views/cell-view.ts';
import { referenceView } from '../../../workers/engine/views/reference-view.ts';
import { answerPlace } from '../oracles/answer-place.ts';
import { capturedOutput } from '../drivers/captured-output.ts';
import { temporaryFolder } from '../drivers/folder.ts';
import { geoJson, writeSources, type TestFeature } from './sources.ts';

export interface Told {
  readonly value: LayerValue;
  readonly state: LayerEvidence['state'];
  readonly feature: LayerEvidence['feature'];
}

export type Drawn = Readonly<Record<string, readonly TestFeature[]>>;

async function load(...[config, options]: Parameters<typeof loadLayers>): Promise<string> {
  const output = capturedOutput();
  expect(await loadLayers(config, options, output), output.text()).to.equal(0);
  return output.text();
}

export class Miniature implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #answers: Catalogue['answers'];
  readonly #snapshot: Snapshot;
  readonly #cells: CellIndex;
  /** What the import printed. */
  readonly report: string;

  private constructor(folder: ReturnType<typeof temporaryFolder>, layersDir: string, report: string) {
    this.#folder = folder;
    this.report = report;
    const answers = (this.#answers = allAnswers(readCatalogue(layersDir)));
    this.#snapshot = openSnapshot(currentSnapshot(join(folder.path, 'data'))!.dir, { rules: rulesOf(answers) });
    this.#cells = openCells(this.#snapshot, {
      directory: readDirectory(this.#snapshot),
      needed: neededFromIndex(answers, this.#snapshot),
    });
  }

  /** `importedBy`: the definitions at the time of the import; those of now answer. */
  static async of(drawn: Drawn, importedBy = join(projectDir, 'layers')): Promise<Miniature> {
    const folder = temporaryFolder();
    const manifest = Object.fromEntries(
      Object.keys(drawn).map((id) => [id, { file: `${id}.geojson`, asOf: '2026-01-01' }]),
    );
    const files = Object.entries(drawn).map(([id, features]) => [`${id}.geojson`, geoJson(features)]);
    const from = writeSources(join(folder.path, 'from'), manifest, Object.fromEntries(files) as Record<string, string>);
    const config = { dataDir: join(folder.path, 'data'), layersDir: importedBy };
    return new Miniature(folder, join(projectDir, 'layers'), await load(config, { from }));
  }

  /** Imports these data sets, or those of these answers, from a server. */
  static async served(server: string, only: readonly string[]): Promise<Miniature> {
    const folder = temporaryFolder();
    const layersDir = join(projectDir, 'layers');
    const retry = { attempts: 2, firstMs: 1, mostMs: 1 };
    const report = await load({ dataDir: join(folder.path, 'data'), layersDir }, { server, only, retry });
    return new Miniature(folder, layersDir, report);
  }

  record(dataSet: string): DataSetRecord {
    return this.#snapshot.manifest.dataSets[dataSet]!;
  }

  /** Asks on every read path, which must agree. */
  ask(key: string, [lon, lat]: readonly [lon: number, lat: number]): Told {
    const at = project({ lat, lon });
    const asked = this.#answers.filter(({ answer }) => answer.key === key);
    const views = [cellView(this.#snapshot, this.#cells, at), referenceView(this.#snapshot, at)];
    const [index, ...others] = views.map((view): Told => {
      const { layers, evidence } = answerPlace(view, asked, 10);
      return { value: layers[key]!, state: evidence[key]!.state, feature: evidence[key]!.feature };
    });
    for (const other of others) expect(other, `${key} at ${lat}, ${lon}`).to.deep.equal(index);
    return index!;
  }

  [Symbol.dispose](): void {
    this.#snapshot.close();
    this.#folder[Symbol.dispose]();
  }
}
