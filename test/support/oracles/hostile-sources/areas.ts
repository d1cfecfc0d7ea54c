/** Areas with holes and islands, as one means them, and places in and around them. */
import { square, type Ring } from '../../material/sources.ts';

export interface Area {
  readonly name: string;
  /** Polygons: each a shell and its holes. */
  readonly polygons: readonly (readonly Ring[])[];
}

export interface Place {
  readonly lon: number;
  readonly lat: number;
}

/** Names as real extracts have them. */
const names = ['Rivière à l’Orignal', 'Lac Témiscamingue', 'Second Creek', 'Île-Perrot', 'Hawkesbury-Est', 'Ops'];

export type Random = () => number;

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

/** Two to six areas in a row, of which some have a hole, an island in it, and a second part. */
export function drawAreas(random: Random): readonly Area[] {
  const count = 2 + Math.floor(random() * 5);
  return Array.from({ length: count }, (_, i) => {
    const [west, south] = [-80 + i * 0.3, 44 + random() * 0.1];
    const shell = square(west, south, 0.2);
    const hole = square(west + 0.05, south + 0.05, 0.1);
    const island = square(west + 0.08, south + 0.08, 0.04);
    const beside = square(west + 0.22, south, 0.05);
    const polygons: Ring[][] = [random() < 0.6 ? [shell, hole] : [shell]];
    if (polygons[0]!.length > 1 && random() < 0.5) polygons.push([island]);
    if (random() < 0.3) polygons.push([beside]);
    return { name: `${pick(random, names)} ${i}`, polygons };
  });
}

/** Places in the shell, the hole, the island and the second part of each, and beyond. */
export function drawPlaces(areas: readonly Area[], random: Random): readonly Place[] {
  const within = (west: number, south: number, size: number): Place => ({
    lon: west + size * (0.1 + 0.8 * random()),
    lat: south + size * (0.1 + 0.8 * random()),
  });
  return areas.flatMap(({ polygons }) => {
    const [west, south] = polygons[0]![0]![0]!;
    return [
      ...[within(west, south, 0.04), within(west + 0.155, south, 0.04), within(west + 0.055, south + 0.055, 0.02)],
      ...[within(west + 0.08, south + 0.08, 0.04), within(west + 0.22, south, 0.05), within(west, south + 0.3, 0.2)],
    ];
  });
}
