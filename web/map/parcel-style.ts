/** What the map draws of a parcel: the parts of it that layers cover, and one that is being drawn. */
import { polygonsOf, type AreaGeometry, type Position } from '../shared/area.ts';
import { crossingsOf } from '../shared/ground.ts';
import { addressLayers, addressSource } from './map-labels.ts';
import {
  featureLayers,
  fill,
  line,
  nearFeatures,
  styleWith,
  type Look,
  type MapBody,
  type Shown,
  type Style,
} from './map-style.ts';
import { featureOf, geojson, point, polygon } from './near-features.ts';

/** Degrees around a parcel that are veiled: more than anybody moves the map. */
const VEILED = 2;

/** The style of a parcel: what lies in it as it is, and what lies around it veiled, so that the parts that a layer covers stand out. */
export function areaStyle(
  geometry: AreaGeometry,
  { body, shown }: { body: MapBody; shown: Shown },
): (look: Look) => Style {
  const near = nearFeatures(body);
  const sources = {
    ...near.sources,
    ...addressSource(body),
    parcel: geojson([featureOf(geometry.type, geometry.coordinates)]),
    veil: geojson(veilOf(geometry)),
  };
  return (look) => {
    const { disc, paper, mark } = look.ground;
    return styleWith(look, {
      sources,
      layers: [
        ...(look.base.layers.length > 0 ? [] : [fill('ground', 'parcel', { color: disc })]),
        ...featureLayers(near, shown, look),
        fill('veil', 'veil', { color: paper, opacity: 0.7 }),
        ...addressLayers(look),
        line('parcel-edge', 'parcel', { color: mark, width: 2 }),
      ],
    });
  };
}

/** All but the parcel. */
function veilOf(geometry: AreaGeometry) {
  const polygons = polygonsOf(geometry);
  const [[x, y] = [0, 0]] = polygons.flat(2);
  const [west, south, east, north] = [x - VEILED, y - VEILED, x + VEILED, y + VEILED];
  const frame: Position[] = [[west, south], [east, south], [east, north], [west, north], [west, south]]; // prettier-ignore
  const outlines = polygons.flatMap((rings) => rings.slice(0, 1));
  const holes = polygons.flatMap((rings) => rings.slice(1));
  return [polygon([frame, ...outlines]), ...holes.map((hole) => polygon([hole]))];
}

/** A parcel that is being drawn: its corners, the line that closes it, what it surrounds, and where it crosses itself. */
export function sketchData(corners: readonly Position[]) {
  const crossings = crossingsOf(corners);
  const closed = [...corners, ...corners.slice(0, 1)];
  const at = ([lon, lat]: Position, crossing: boolean) => point({ lon, lat }, { crossing });
  return geojson([
    ...(corners.length > 2 && crossings.length === 0 ? [polygon([closed])] : []),
    ...(corners.length > 1 ? [featureOf('LineString', closed)] : []),
    ...corners.map((corner) => at(corner, false)),
    ...crossings.map((crossing) => at(crossing, true)),
  ]).data;
}
