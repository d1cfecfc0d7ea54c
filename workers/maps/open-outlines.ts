/** Opens the outline tree of a snapshot (docs/cell-index.md). */
import type { ProjectedPoint } from '../geopackage/projection.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import { CACHED_VALUES, tables, type CellHeader, type IndexedDataSet } from '../engine/cells/format.ts';
import { leafText } from '../engine/cells/leaf-reader.ts';
import { readHeader, readNodes, rowBytes, type CellIndex } from '../engine/cells/open.ts';
import { outlinesNear, type IsShown, type NearOutline, type OutlineSource } from './outline-index.ts';

/** The outline tree. */
export interface Outlines {
  /** Ids by the index of outlines. */
  readonly dataSets: readonly string[];
  /** Returns the features with a part less than `radiusM` ground metres from a place, in no order. */
  near(at: ProjectedPoint, radiusM: number, isShown: IsShown): NearOutline[];
}

/**
 * Reads the inner nodes of the outline tree into one block that threads share; null when the index has no such tree.
 * @throws Error when the index has another format or its directory is damaged.
 */
export function readOutlineNodes(snapshot: Snapshot): SharedArrayBuffer | null {
  const header = readHeader(snapshot);
  return header.outlines ? readNodes(snapshot, header, [header.outlines.directoryStart, header.directoryLength]) : null;
}

/**
 * Returns null when the index was built for definitions that show other features.
 * @param nodes the result of `readOutlineNodes`.
 * @param needed the needs of the answers, by data set.
 */
export function openOutlines(
  snapshot: Snapshot,
  { header }: Pick<CellIndex, 'header'>,
  { nodes, needed }: { nodes: SharedArrayBuffer; needed: readonly IndexedDataSet[] },
): Outlines | null {
  if (!showsTheSame(header, needed)) return null;
  const source = sourceOf(snapshot, header, new Int32Array(nodes));
  return {
    dataSets: header.dataSets,
    near: (at, radiusM, isShown) => outlinesNear(source, at, { radius: radiusM * at.scale, isShown }),
  };
}

/** Whether the outline tree has the features that maps show now. */
function showsTheSame({ outlines, dataSets }: CellHeader, needed: readonly IndexedDataSet[]): boolean {
  return needed.every(({ id, outlined = null }) => {
    const held = outlines?.dataSets[dataSets.indexOf(id)];
    return held !== undefined && JSON.stringify(held) === JSON.stringify(outlined);
  });
}

function sourceOf(snapshot: Snapshot, header: CellHeader, directory: Int32Array): OutlineSource {
  const rows = snapshot.layer(tables.outline).features;
  const valueRows = snapshot.layer(tables.values).features;
  const labels = new Map<number, string>();
  return {
    directory,
    row: (id) => rowBytes(rows, id),
    label({ bytes }, { set, label }) {
      if (label === 0) return null;
      if (header.inline[set]!) return leafText(bytes, label);
      let text = labels.get(label);
      if (text === undefined) {
        text = rowBytes(valueRows, label).toString('utf8');
        if (labels.size >= CACHED_VALUES) labels.clear();
        labels.set(label, text);
      }
      return text;
    },
  };
}
