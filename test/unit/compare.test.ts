import { expect } from 'chai';
import type { DataSetDefinition } from '../../src/shared/catalogue/definition.ts';
import type { Coordinate } from '../../src/shared/contract/lookup.ts';
import { isReal, type Disagreement } from '../../src/shared/contract/verify.ts';
import { compareAt } from '../../workers/verify/compare.ts';
import type { CellIndex } from '../../workers/lookup/cells/open.ts';
import { toDegrees } from '../../workers/geopackage/projection.ts';
import type { Snapshot } from '../../workers/geopackage/snapshot.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openWithCells, writeSnapshot } from '../support/material/hand-made-snapshot.ts';

const [X, Y] = [1_300_000, 11_900_000];

/** A square whose western edge is not on a whole centimetre: the index has it 4 mm farther west. */
function square(size: number): string {
  const west = X + 0.004;
  return `POLYGON((${west} ${Y},${X + size} ${Y},${X + size} ${Y + size},${west} ${Y + size},${west} ${Y}))`;
}

describe('a difference between the read paths', () => {
  const folder = temporaryFolder();
  const dataSets = ['woods', 'known', 'coverage'].map((id) => ({
    ...{ id, reachM: 0, nearestOnly: false, inline: true },
    fields: id === 'coverage' ? ['data_set'] : [],
  }));
  let snapshot: Snapshot;
  let cells: CellIndex;

  before(async () => {
    const farAway = `POLYGON((${X} ${Y + 9000},${X + 10} ${Y + 9000},${X + 10} ${Y + 9010},${X} ${Y + 9000}))`;
    writeSnapshot(folder.path, {
      woods: { features: [{ wkt: square(1000) }] },
      known: { features: [{ wkt: farAway }], coverage: 'area' },
      coverage: { features: [{ wkt: square(1000), attributes: { data_set: 'known' } }] },
    });
    ({ snapshot, cells } = await openWithCells(folder.path, dataSets));
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  function compare(dataSet: string, x: number, y = Y + 500, index: CellIndex = cells): Disagreement[] {
    const { x: lon, y: lat } = toDegrees().transformPoint(x, y);
    const at: Coordinate = { lat, lon };
    const answers = [
      {
        dataSet: { id: dataSet } as DataSetDefinition,
        answer: {
          ...{ kind: 'boolean', key: dataSet, order: 1, title: '', description: '', group: 'nature' },
        } as DataSetDefinition['answers'][number],
      },
    ];
    return compareAt(snapshot, index, { answers, at, withEvidence: true });
  }

  it('is one of rounding beside an edge of a feature', () => {
    const [found, ...others] = compare('woods', X + 0.002);
    expect(others).to.deep.equal([]);
    expect(found).to.include({ key: 'woods', indexed: 'true', reference: 'false', boundaryDistanceM: 0.002 });
    expect(isReal(found!)).to.equal(false);
  });

  it('is one of rounding beside the edge of the area that a data set knows', () => {
    const [found, ...others] = compare('known', X + 0.002);
    expect(others).to.deep.equal([]);
    expect(found).to.include({ key: 'known', indexed: 'false', reference: 'null' });
    expect(found!.boundaryDistanceM).to.be.closeTo(0.002, 0.001);
    expect(isReal(found!)).to.equal(false);
  });

  it('may lie in the evidence alone', () => {
    const blind: CellIndex = { ...cells, around: () => ({ hits: () => [], attributes: () => ({}) }) };
    expect(compare('woods', X + 100)).to.deep.equal([]);
    const [found, ...others] = compare('woods', X + 100, Y + 500, blind);
    expect(others).to.deep.equal([]);
    expect(found).to.include({ key: 'woods' });
    expect(JSON.parse(found!.indexed)).to.include({ state: 'present', boundaryDistanceM: null });
    expect(JSON.parse(found!.reference)).to.have.property('boundaryDistanceM').that.is.closeTo(100, 0.2);
    expect(isReal(found!)).to.equal(true);
  });

  it('is none away from edges', () => {
    for (const x of [X - 3, X - 0.1, X + 0.1, X + 500]) {
      expect(compare('woods', x)).to.deep.equal([]);
      expect(compare('known', x)).to.deep.equal([]);
    }
  });
});
