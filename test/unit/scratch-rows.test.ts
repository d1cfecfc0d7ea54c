/** Rows of the temporary file of a build of the cell index. */
import { partOf } from '../../workers/geometry/ring.ts';
import { expect } from 'chai';
import { readOutline, readPiece, writeOutline, writePiece } from '../../workers/import/cells/bucket.ts';
import { pieceOf } from '../../workers/import/cells/piece.ts';
import { featureOutline } from '../../workers/import/outlines/outline.ts';
import { type FlatGeometry } from '../../workers/geopackage/flat-geometry.ts';

const square: FlatGeometry = {
  kind: 'polygon',
  parts: [partOf([0.1, 0, 10, 0, 10, 10.07, 0.1, 10]), partOf(Float64Array.of(2, 2, 3, 2, 3, 3))],
};

/** A copy that does not begin where numbers of 64 bits may. */
function shifted(row: Buffer): Buffer {
  const copy = Buffer.from(new ArrayBuffer(row.length + 3), 3);
  row.copy(copy);
  return copy;
}

/** Numbers in whichever kind of array. */
const plain = (item: unknown): unknown =>
  JSON.parse(
    JSON.stringify(item, (_key, value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as never) : value)),
  );

describe('rows of the temporary file of a build', () => {
  for (const valuesRef of [0, 70_000, '["Lake Érié"]']) {
    const about = { set: 3, fid: 2 ** 33, valuesRef };
    it(`give a piece back, with values ${valuesRef}`, () => {
      for (const piece of [pieceOf(about, square), { ...about, kind: 0, parts: [] } as const]) {
        const row = writePiece(piece);
        expect(plain(readPiece(Buffer.from(row)))).to.deep.equal(plain(piece));
        expect(plain(readPiece(shifted(row)))).to.deep.equal(plain(piece));
      }
    });

    it(`give an outline back, with label ${valuesRef}`, () => {
      const outline = featureOutline({ set: 3, fid: 2 ** 33, label: valuesRef }, square)!;
      for (const one of [outline, { ...outline, kind: 0, runs: [], isInside: true } as const]) {
        const row = writeOutline(one);
        expect(plain(readOutline(Buffer.from(row)))).to.deep.equal(plain(one));
        expect(plain(readOutline(shifted(row)))).to.deep.equal(plain(one));
      }
    });
  }
});
