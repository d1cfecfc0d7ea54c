import { type CivicPoint, encodeBlock, encodeUnits, MOST_POINTS } from '../../engine/gazetteer/civic-block.ts';
import type { CivicBlocks } from '../../engine/gazetteer/street-record.ts';
import type { JoinedRow } from './staging.ts';

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

/** A point with the unit labels that the register has there. */
export interface CivicPointWithUnits extends CivicPoint {
  readonly units: readonly string[];
}

interface Group {
  readonly first: JoinedRow;
  rows: number;
  /** Rows without a unit label. */
  bare: number;
  readonly units: Set<string>;
}

/**
 * Returns the civic points of one street. Rows of one number, position and postal code become one point with its units.
 * Equal numbers are ordered by preference: the row of the whole building first, buildings before sides of a street,
 * then the most rows.
 * @param rows of one street, ordered by civic number and suffix.
 */
export function civicPoints(rows: readonly JoinedRow[]): CivicPointWithUnits[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const key = [row.civic, row.suffix, row.lat, row.lon, row.postalCode, row.spelling].join('|');
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { first: row, rows: 0, bare: 0, units: new Set() }));
    group.rows++;
    if (row.unit === '') group.bare++;
    else group.units.add(row.unit);
  }
  return [...groups.values()].sort(byPreference).map(({ first, units }) => ({
    civic: first.civic,
    suffix: first.suffix || null,
    lat: first.lat,
    lon: first.lon,
    blockface: first.blockface === 1,
    outlier: false,
    postalCode: first.postalCode || null,
    spelling: first.spelling,
    units: [...units],
  }));
}

function byPreference(a: Group, b: Group): number {
  return (
    a.first.civic - b.first.civic ||
    compare(a.first.suffix, b.first.suffix) ||
    a.first.blockface - b.first.blockface ||
    Number(b.bare > 0) - Number(a.bare > 0) ||
    b.rows - a.rows ||
    compare(b.first.postalCode, a.first.postalCode)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
