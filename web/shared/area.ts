/** The outline of a parcel, and as a part of a link: short, and in letters that need no escape. */

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

/** A millionth of a degree is 11 cm. */
const SCALE = 1e6;

/** Longer links are cut by mail programs and chats. */
export const MOST_LETTERS = 8000;

/** Returns the parcel as text: each corner by its steps from the one before, to the base 36. Null when that would be too long. */
export function areaText(geometry: AreaGeometry) {
  let [x, y] = [0, 0];
  const corner = ([lon, lat]: Position) => {
    const [toX, toY] = [Math.round(lon * SCALE), Math.round(lat * SCALE)];
    const step = `${(toX - x).toString(36)}.${(toY - y).toString(36)}`;
    [x, y] = [toX, toY];
    return step;
  };
  const text = polygonsOf(geometry)
    // The last corner of a ring is the first.
    .map((rings) => rings.map((ring) => ring.slice(0, -1).map(corner).join('!')).join('*'))
    .join('~');
  return text.length > MOST_LETTERS ? null : text;
}

/** Reads such a text; null when it is none. */
export function areaInText(text: string): AreaGeometry | null {
  let [x, y] = [0, 0];
  const corner = (step: string) => {
    const [dx = NaN, dy = NaN] = step.split('.').map((number) => parseInt(number, 36));
    [x, y] = [x + dx, y + dy];
    return [x / SCALE, y / SCALE] as Position;
  };
  const ringOf = (steps: string) => {
    const corners = steps.split('!').map(corner);
    return [...corners, ...corners.slice(0, 1)];
  };
  const polygons = text.split('~').map((rings) => rings.split('*').map(ringOf));
  const isSound = polygons.flat().every((ring) => ring.length >= 4 && ring.flat().every(Number.isFinite));
  return isSound ? areaOf(polygons) : null;
}
