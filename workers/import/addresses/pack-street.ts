import { encodeBlock, encodeUnits, MOST_POINTS } from '../../engine/gazetteer/civic-block.ts';
import type { CivicBlocks } from '../../engine/gazetteer/street-record.ts';
import type { CivicPointWithUnits } from './civic-points.ts';

/** Stores separate rows of points and units, and returns their numbers. */
export interface RowSink {
  addPoints(block: Buffer): number;
  addUnits(units: Buffer): number;
}

/**
 * Packs the points of a street: into the street's own row when they are few, otherwise into blocks. All points of one
 * number stay together.
 */
export function packPoints(points: readonly CivicPointWithUnits[], sink: RowSink): CivicBlocks {
  const blocks = cutIntoBlocks(points);
  const [only] = blocks;
  if (only && blocks.length === 1) return { inline: packBlock(only, sink) };
  return { rows: blocks.map((block) => ({ first: block[0]!.civic, row: sink.addPoints(packBlock(block, sink)) })) };
}

function cutIntoBlocks(points: readonly CivicPointWithUnits[]): CivicPointWithUnits[][] {
  const blocks: CivicPointWithUnits[][] = [];
  let block: CivicPointWithUnits[] = [];
  for (const point of points) {
    if (block.length >= MOST_POINTS && block.at(-1)?.civic !== point.civic) {
      blocks.push(block);
      block = [];
    }
    block.push(point);
  }
  return [...blocks, block];
}

function packBlock(points: readonly CivicPointWithUnits[], sink: RowSink): Buffer {
  const hasUnits = points.some(({ units }) => units.length > 0);
  return encodeBlock(points, hasUnits ? sink.addUnits(encodeUnits(points.map(({ units }) => units))) : 0);
}
