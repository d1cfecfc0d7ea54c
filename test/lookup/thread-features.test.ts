/** Lookup threads of which features are left out. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { allFeatures } from '../../src/features.ts';
import { LookupPool } from '../../src/core/pool/lookup-pool.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import type { LookupTask } from '../../src/messages/lookup.ts';
import { projectDir } from '../../src/project/project.ts';
import { readHeader } from '../../workers/engine/cells/open.ts';
import { prepareSnapshot } from '../../workers/engine/served-snapshot.ts';
import { openSnapshot } from '../../workers/geopackage/snapshot.ts';
import { threadFeatures } from '../../workers/threads/features.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';

/** What features read and the layers do not. */
const TABLES_OF_FEATURES = ['cell_outline', 'gazetteer_prefixes', 'gazetteer_numbers'];

const names = threadFeatures.map(({ name }) => name);
const catalogue = readCatalogue(join(projectDir, 'layers'));
const further = catalogue.further.map(({ answer }) => answer.key);
const place = { lat: 44.1, lon: -78.6 };

const area: LookupTask = {
  ...{ kind: 'area', isClosed: true },
  polygons: [[[-78.6, 44.1, -78.599, 44.1, -78.599, 44.101, -78.6, 44.101]]],
};
/** Who answers it, by the names of the features that it needs. */
const tasksOf: readonly { readonly needs: readonly string[]; readonly task: LookupTask }[] = [
  { needs: [], task: { kind: 'address', ...SAMPLE_ADDRESS, full: false } },
  { needs: [], task: { kind: 'address', ...SAMPLE_ADDRESS, full: true } },
  { needs: [], task: { kind: 'point', ...place, full: true, further } },
  { needs: ['areas'], task: area },
  { needs: ['areas', 'maps'], task: { ...area, geometry: 'map' } },
  { needs: ['maps'], task: { kind: 'point', ...place, full: true, geometry: 'near' } },
  { needs: ['maps'], task: { kind: 'address', ...SAMPLE_ADDRESS, full: true, geometry: 'map' } },
  { needs: ['coverage'], task: { kind: 'point', ...place, full: false, writer: 'coverage' } },
  { needs: ['suggest'], task: { kind: 'suggest', text: '12 ma', limit: 5 } },
];

function start(snapshotDir: string, leftOut: readonly string[]): Promise<LookupPool> {
  return LookupPool.start({ threads: 1, deadlineMs: 60_000, isCommand: true, catalogue, snapshotDir, leftOut });
}

/** The answers in the order of the tasks, and the code of the error where there is one. */
async function answersOf(snapshotDir: string, leftOut: readonly string[]): Promise<readonly string[]> {
  await using pool = await start(snapshotDir, leftOut);
  const asked = tasksOf.map(async ({ task }) => (await pool.lookup(task)).json);
  return await Promise.all(asked.map((one) => one.catch((cause: unknown) => (cause as { code: string }).code)));
}

describe('a lookup thread', function () {
  this.timeout(240_000);
  let sample: string;
  let whole: readonly string[];
  before(async () => {
    sample = requireCurrentSnapshot(sampleDataDir()).dir;
    whole = await answersOf(sample, []);
  });

  for (const leftOut of [...names.map((name) => [name]), names]) {
    it(`without ${leftOut.join(', ')} answers the rest as before, and reports a defect where something asks for them`, async () => {
      const expected = tasksOf.map(({ needs }, i) =>
        needs.some((name) => leftOut.includes(name)) ? 'INTERNAL' : whole[i],
      );
      expect(await answersOf(sample, leftOut)).to.deep.equal(expected);
    });
  }

  it('has no feature that FEATURES cannot name', () => {
    expect(allFeatures.map(({ name }) => name)).to.include.members(names);
  });

  it('without features answers the 37 layers from a snapshot that has no table of theirs', async () => {
    using folder = temporaryFolder();
    cpSync(sample, folder.path, { recursive: true });
    const db = new Database(join(folder.path, 'land.gpkg'));
    for (const table of TABLES_OF_FEATURES)
      db.exec(`DROP TABLE ${table}; DELETE FROM gpkg_contents WHERE table_name = '${table}'`);
    db.close();
    const [plain] = await answersOf(folder.path, names);
    expect(plain).to.equal(whole[0]);
    expect(Object.keys((JSON.parse(plain!) as { layers: object }).layers)).to.have.lengthOf(37);
    const outcome = await start(folder.path, []).catch((cause: unknown) => (cause as Error).message);
    expect(outcome).to.contain('has no table "cell_outline"');
  });

  it('without features has neither the nodes of outlines nor street names in memory', () => {
    const snapshot = openSnapshot(sample);
    const { directoryLength, outlines } = readHeader(snapshot);
    snapshot.close();
    const bare = prepareSnapshot(sample, false);
    expect(bare.shared).to.deep.equal({});
    expect(bare.cellDirectory!.byteLength).to.equal(outlines!.directoryStart * 4);
    const { cellDirectory, shared } = prepareSnapshot(sample, false, threadFeatures);
    expect(Object.keys(shared)).to.have.members(['maps', 'suggest']);
    expect(shared['suggest']!.byteLength).to.be.above(0);
    expect(cellDirectory!.byteLength + shared['maps']!.byteLength).to.equal(directoryLength * 4);
  });
});
