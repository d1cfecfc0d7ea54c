/** The outline of a parcel. */

export type Position = [number, number];
export type AreaGeometry =
  | { type: 'Polygon'; coordinates: Position[][] }
  | { type: 'MultiPolygon'; coordinates: Position[][][] };

export function areaOf(polygons: Position[][][]): AreaGeometry {
  const [only] = polygons;
  return only && polygons.length === 1
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: polygons };
}

export const polygonsOf = ({ type, coordinates }: AreaGeometry): Position[][][] =>
  type === 'Polygon' ? [coordinates] : coordinates;
