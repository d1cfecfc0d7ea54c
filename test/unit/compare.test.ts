import { expect } from 'chai';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import { isReal, type Disagreement } from '../../src/messages/verify.ts';
import { compareAt } from '../../workers/verify/compare.ts';
import type { CellIndex } from '../../workers/engine/cells/open.ts';
import { toDegrees } from '../../workers/geopackage/spatial-reference.ts';
import type { Snapshot } from '../../workers/geopackage/snapshot.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openWithCells, writeSnapshot } from '../support/material/hand-made-snapshot.ts';

const [X, Y] = [1_300_000, 11_900_000];

/** A square whose western edge is not on a whole centimetre: the index has it 4 mm farther west. */
function square(size: number): string {
  const west = X + 0.004;
  return `POLYGON((${west} ${Y},${X + size} ${Y},${X + size} ${Y + size},${west} ${Y + size},${west} ${Y}))`;
}

function pond(west: number, east: number): string {
  const [south, north] = [Y - 2100, Y - 1900];
  return `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`;
}

describe('a difference between the read paths', () => {
  const folder = temporaryFolder();
  const fields: Readonly<Record<string, readonly string[]>> = { coverage: ['data_set'], ponds: ['name'] };
  const dataSets = ['woods', 'known', 'coverage', 'ponds'].map((id) => ({
    ...{ id, reachM: id === 'ponds' ? 100 : 0, nearestOnly: false, inline: true },
    fields: fields[id] ?? [],
  }));
  let snapshot: Snapshot;
  let cells: CellIndex;

  before(async () => {
    const farAway = `POLYGON((${X} ${Y + 9000},${X + 10} ${Y + 9000},${X + 10} ${Y + 9010},${X} ${Y + 9000}))`;
    writeSnapshot(folder.path, {
      woods: { features: [{ wkt: square(1000) }] },
      known: { features: [{ wkt: farAway }], coverage: 'area' },
      coverage: { features: [{ wkt: square(1000), attributes: { data_set: 'known' } }] },
      // From the place between them, the western pond is 28 mm farther away; in centimetres it is 20 mm, which counts as equally near.
      ponds: {
        features: [
          { wkt: pond(X - 40, X - 20.0149), attributes: { name: 'west' } },
          { wkt: pond(X + 19.9865, X + 40), attributes: { name: 'east' } },
        ],
      },
    });
    ({ snapshot, cells } = await openWithCells(folder.path, dataSets));
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  type Answer = DataSetDefinition['answers'][number];

  function compare(dataSet: string, x: number, y = Y + 500, index: CellIndex = cells): Disagreement[] {
    return compareAnswer(dataSet, { kind: 'boolean' }, { x, y, index });
  }

  function compareAnswer(
    dataSet: string,
    kind: Partial<Answer>,
    { x, y, index = cells }: { readonly x: number; readonly y: number; readonly index?: CellIndex },
  ): Disagreement[] {
    const { x: lon, y: lat } = toDegrees().transformPoint(x, y);
    const at: Coordinate = { lat, lon };
    const answer = { key: dataSet, order: 1, title: '', description: '', group: 'nature', ...kind } as Answer;
    const answers = [{ dataSet: { id: dataSet } as DataSetDefinition, answer }];
    return compareAt(snapshot, index, { answers, at, withEvidence: true });
  }

  const bands = { kind: 'proximity', bands: { regulated: 30, adjacent: 60 } } as const;
  const deciding = { name: { field: 'name', as: 'string', description: '' } } as const;

  it('is one of rounding beside an edge of a feature', () => {
    const [found, ...others] = compare('woods', X - 0.008);
    expect(others).to.deep.equal([]);
    expect(found).to.include({ key: 'woods', indexed: 'true', reference: 'false', boundaryDistanceM: 0.012 });
    expect(isReal(found!)).to.equal(false);
  });

  it('is one of rounding beside the edge of the area that a data set knows', () => {
    const [found, ...others] = compare('known', X - 0.008);
    expect(others).to.deep.equal([]);
    expect(found).to.include({ key: 'known', indexed: 'false', reference: 'null' });
    expect(found!.boundaryDistanceM).to.be.closeTo(0.012, 0.001);
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

  it('is one of rounding where two features are equally far away on one path alone', () => {
    const [found, ...others] = compareAnswer('ponds', { ...bands, deciding }, { x: X, y: Y - 2000 });
    expect(others).to.deep.equal([]);
    expect(JSON.parse(found!.indexed)).to.deep.include({ feature: { name: 'west' }, others: 1 });
    expect(JSON.parse(found!.reference)).to.deep.include({ feature: { name: 'east' } });
    expect(isReal(found!)).to.equal(false);
  });

  it('is real where the path names a feature that is farther away than the nearest, or at the place itself another one', () => {
    const exchanged = (name: unknown) => ({ name: name === 'west' ? 'east' : 'west' });
    const wrongNames: CellIndex = {
      ...cells,
      leafAt: (...asked) => {
        const leaf = cells.leafAt(...asked)!;
        return { ...leaf, attributes: (hit) => exchanged(leaf.attributes(hit)['name']) };
      },
    };
    for (const x of [X - 1, X - 30]) {
      const [found] = compareAnswer('ponds', { ...bands, deciding }, { x, y: Y - 2000, index: wrongNames });
      expect(JSON.parse(found!.indexed)).to.deep.include({ feature: { name: 'east' } });
      expect(isReal(found!)).to.equal(true);
    }
  });

  it('is none away from edges', () => {
    for (const x of [X - 3, X - 0.1, X + 0.1, X + 500]) {
      expect(compare('woods', x)).to.deep.equal([]);
      expect(compare('known', x)).to.deep.equal([]);
    }
  });
});
