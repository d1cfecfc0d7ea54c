/** Reads a leaf (leaf-writer.ts) as a whole: every feature in it with its geometry. */
import { newFloats } from '../../geometry/numbers.ts';
import type { Part } from '../../geometry/ring.ts';
import type { ByteReader } from '../../geopackage/bytes.ts';
import { entryKind, type EntryKind } from './format.ts';
import { entriesOf } from './leaf-reader.ts';

/** A feature of a leaf. */
export interface LeafFeature {
  readonly set: number;
  readonly fid: number;
  readonly kind: EntryKind;
  /** Where its attribute values are: a row id of the table of attribute values, or one more than the offset of their text in the leaf; 0 when answers need none. */
  readonly valuesRef: number;
  /** Rings, paths or points in centimetres from the leaf's lower left corner; none where the feature covers the leaf. */
  readonly parts: readonly Part[];
}

/** Returns the features by the index of their data set, in the order of their ids. It stops before the data set with the number `sets`. @throws Error when the bytes are not what was written. */
export function leafFeatures(bytes: Buffer, sets: number): ReadonlyMap<number, readonly LeafFeature[]> {
  const cursor = entriesOf(bytes);
  const features = new Map<number, LeafFeature[]>();
  for (let left = cursor.varint(); left > 0; left--) {
    const tag = cursor.varint();
    if (tag >>> 2 >= sets) break;
    const [set, kind, fid, valuesRef] = [tag >>> 2, (tag & 3) as EntryKind, cursor.varint(), cursor.varint()];
    const parts: Part[] = [];
    for (let count = kind === entryKind.full ? 0 : cursor.varint(); count > 0; count--) {
      parts.push(readPart(cursor));
    }
    const feature = { set, fid, kind, valuesRef, parts };
    const others = features.get(set);
    if (others) others.push(feature);
    else features.set(set, [feature]);
  }
  return features;
}

function readPart(cursor: ByteReader): Part {
  const xy = newFloats(cursor.varint() * 2);
  let [x, y] = [0, 0];
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < xy.length; i += 2) {
    xy[i] = x += cursor.zigzag();
    xy[i + 1] = y += cursor.zigzag();
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return { xy, box: { minX, minY, maxX, maxY } };
}
