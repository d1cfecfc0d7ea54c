/**
 * A row of the outline tree as bytes: the frame of a leaf (leaf-writer.ts) around entries of data set index and kind, feature id, label (row id of
 * the table of values, or offset of its text plus one; 0 for none), and the number of runs times two, plus one if the polygon contains the
 * cell's reference point. A run has its ring or path, the number of vertices before it, the number of vertices times two, plus one if it has the
 * last vertex, and the vertices as differences of whole centimetres, the first from the cell's lower left corner.
 */
import type { Box } from '../../geometry/box.ts';
import { ByteWriter } from '../../geopackage/bytes.ts';
import { framed, Texts } from '../cells/leaf-writer.ts';
import type { Outline, Run } from './outline.ts';

/** `cell` in centimetres. */
export function writeOutlines(outlines: readonly Outline[], cell: Box): Buffer {
  const out = new ByteWriter();
  const texts = new Texts();
  out.varint(outlines.length);
  for (const { set, kind, fid, label, runs, isInside } of outlines) {
    out.varint(set * 4 + kind);
    out.varint(fid);
    out.varint(typeof label === 'number' ? label : texts.offsetOf(label) + 1);
    out.varint(runs.length * 2 + Number(isInside));
    for (const run of runs) writeRun(out, run, cell);
  }
  return framed(out.take(), texts.take());
}

function writeRun(out: ByteWriter, { part, start, isLast, xy }: Run, cell: Box): void {
  out.varint(part);
  out.varint(start);
  out.varint(xy.length + Number(isLast));
  let x = cell.minX;
  let y = cell.minY;
  for (let i = 0; i < xy.length; i += 2) {
    out.zigzag(xy[i]! - x);
    out.zigzag(xy[i + 1]! - y);
    x = xy[i]!;
    y = xy[i + 1]!;
  }
}
