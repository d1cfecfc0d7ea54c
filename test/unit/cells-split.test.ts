import { partOf } from '../../workers/geometry/ring.ts';
import { expect } from 'chai';
import { cellShape, clipToCell, splitTile, type TileTree } from '../../workers/import/cells/split.ts';
import { clipPiece, pieceOf, type Piece } from '../../workers/import/cells/piece.ts';
import { entryKind, type IndexedDataSet } from '../../workers/engine/cells/format.ts';
import { readLeaf } from '../../workers/engine/cells/leaf-reader.ts';

const { empty, leaf, split } = cellShape;
const tile = { minX: 0, minY: 0, maxX: 1024, maxY: 1024 };
const plain: IndexedDataSet = { id: 'test', reachM: 0, nearestOnly: false, fields: [], inline: false };

const polygon = (fid: number, ...rings: number[][]): Piece =>
  pieceOf({ set: 0, fid, valuesRef: 0 }, { kind: 'polygon', parts: rings.map(partOf) });
const points = (fid: number, xy: readonly number[]): Piece =>
  pieceOf({ set: 0, fid, valuesRef: 0 }, { kind: 'point', parts: [partOf(xy)] });
const box = (x: number, y: number, size: number): number[] => [x, y, x + size, y, x + size, y + size, x, y + size];

/** So many points in rows, in the middle of a square. */
function grid(x: number, y: number, size: number, perSide: number): number[] {
  const step = size / perSide;
  const at = (i: number): number => (i + 0.5) * step;
  return Array.from({ length: perSide * perSide }, (_, i) => [
    x + at(i % perSide),
    y + at(Math.floor(i / perSide)),
  ]).flat();
}

describe('the piece of a feature in a cell', () => {
  const cell = { minX: 100, minY: 100, maxX: 200, maxY: 200 };

  it('has no geometry when a polygon covers the cell', () => {
    expect(clipPiece(polygon(7, box(0, 0, 300)), cell, 0)).to.deep.include({ fid: 7, kind: entryKind.full, parts: [] });
  });

  it('is none when the cell lies in a hole, unless the hole is within the reach', () => {
    const ring = polygon(7, box(0, 0, 300), box(90, 90, 120));
    expect(clipPiece(ring, cell, 0)).to.equal(null);
    expect(clipPiece(ring, cell, 20)).to.deep.include({ kind: entryKind.polygon });
  });

  it('is what lies within the reach and one metre more', () => {
    const row = points(1, [87, 150, 89, 150, 150, 150, 211, 150, 213, 150]);
    expect([...clipPiece(row, cell, 11)!.parts[0]!.xy]).to.deep.equal([89, 150, 150, 150, 211, 150]);
    expect([...clipPiece(row, cell, 0)!.parts[0]!.xy]).to.deep.equal([150, 150]);
    expect(clipPiece(points(1, [87, 150]), cell, 11)).to.equal(null);
  });
});

describe('clipping to a cell of a data set of which only the nearest matters', () => {
  const nearest: IndexedDataSet = { ...plain, reachM: 10_000, nearestOnly: true };
  const cell = { minX: 0, minY: 0, maxX: 100, maxY: 100 };

  it('leaves out what is farther than the nearest from every place in the cell', () => {
    // From any place of the cell, (50, 50) is at most 71 m away: what is beyond 72 m of its border cannot be nearer.
    const pieces = [points(1, [50, 50]), points(2, [160, 50]), points(3, [180, 50])];
    expect(clipToCell(pieces, cell, [nearest]).map(({ fid }) => fid)).to.deep.equal([1, 2]);
    expect(clipToCell(pieces, cell, [{ ...nearest, nearestOnly: false }]).map(({ fid }) => fid)).to.deep.equal([
      1, 2, 3,
    ]);
  });

  it('keeps nothing beside a polygon that covers it', () => {
    const pieces = [{ ...polygon(1), kind: entryKind.full, parts: [] }, points(2, [101.5, 50]), points(3, [50, 50])];
    expect(clipToCell(pieces, cell, [nearest]).map(({ fid }) => fid)).to.deep.equal([1, 3]);
  });
});

describe('the tree of a tile', () => {
  const cellsOf = (pieces: readonly Piece[], dataSet = plain): TileTree =>
    splitTile(tile, { pieces, outlines: [] }, [dataSet]).cells;
  const shapeOf = (pieces: readonly Piece[], dataSet = plain): number[] => [...cellsOf(pieces, dataSet).shape];

  it('is one empty cell without features, and one leaf with few', () => {
    expect(shapeOf([])).to.deep.equal([empty]);
    expect(shapeOf([polygon(1, box(5000, 5000, 10))])).to.deep.equal([empty]);
    expect(shapeOf([points(1, grid(0, 0, 1024, 16))])).to.deep.equal([leaf]);
  });

  it('splits a cell of more than 256 vertices, south-west first', () => {
    expect(shapeOf([points(1, grid(0, 0, 1024, 20))])).to.deep.equal([split, leaf, leaf, leaf, leaf]);
    const corners = [points(1, grid(0, 0, 400, 14)), points(2, grid(600, 600, 400, 14))];
    expect(shapeOf(corners)).to.deep.equal([split, leaf, empty, empty, leaf]);
  });

  it('does not split where one quadrant would keep almost all, unless there are far too many', () => {
    expect(shapeOf([points(1, grid(0, 0, 400, 20))])).to.deep.equal([leaf]);
    expect(shapeOf([points(1, grid(0, 0, 400, 66))]).slice(0, 2)).to.deep.equal([split, split]);
  });

  it('does not split where the quadrants would mostly have the same features within their reach', () => {
    const wide = { ...plain, reachM: 400 };
    expect(shapeOf([points(1, grid(0, 0, 1024, 20))], wide)).to.deep.equal([leaf]);
    expect(shapeOf([points(1, grid(0, 0, 1024, 40))], wide).slice(0, 1)).to.deep.equal([split]);
  });

  it('has leaves that answer as the features do', () => {
    const { shape, leaves } = cellsOf([points(1, grid(0, 0, 1024, 20)), polygon(2, box(600, 0, 900))]);
    expect([...shape]).to.deep.equal([split, leaf, leaf, leaf, leaf]);
    // (100, 100) of the south-east quadrant is (612, 100): 12 m inside the polygon.
    const inside = readLeaf(leaves[1]!, 100 * 100, 100 * 100).find(({ fid }) => fid === 2);
    expect(inside?.distance).to.equal(0);
    const beside = readLeaf(leaves[1]!, 80 * 100, 100 * 100).find(({ fid }) => fid === 2);
    expect(beside?.distance).to.equal(8 * 100);
    expect(readLeaf(leaves[0]!, 0, 0).map(({ fid }) => fid)).to.deep.equal([1]);
  });
});
