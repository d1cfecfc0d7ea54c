import type Gdal from 'gdal-async';
import type { Coordinate } from '../../../src/shared/contract/lookup.ts';
import { CivicBlock } from './civic-block.ts';
import { tables } from './tables.ts';

/** Draws a civic point of a longer street, from numbers in [0, 1) of `random`; null when the register has none. */
export function somePoint(dataset: Gdal.Dataset, random: () => number): Coordinate | null {
  const points = dataset.layers.get(tables.points);
  const rows = points.features.count();
  if (rows === 0) return null;
  const data: unknown = points.features.get(1 + Math.floor(random() * rows)).fields.get(0);
  const block = new CivicBlock(data as Buffer);
  const { lat, lon } = block.point(Math.floor(random() * block.count));
  return { lat, lon };
}
