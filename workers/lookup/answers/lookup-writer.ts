/** Writes the bodies of answered lookups as JSON. */
import type { Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import type { Coordinate, LookupDetail } from '../../../src/shared/contract/lookup.ts';
import type { Geocode } from '../../../src/shared/wire/geocode.ts';
import type { PointGeocode } from '../../../src/shared/wire/point-lookup.ts';
import type { ProjectedPoint } from '../../geopackage/projection.ts';
import type { ServedSnapshot } from '../served-snapshot.ts';
import type { PlaceView } from '../views/view.ts';
import { LayersWriter } from './layers-writer.ts';
import { dataSetOrder, nearGeometry, nearJson } from './near-geometry.ts';

export interface Place extends Coordinate {
  /** Null where coordinates were asked for and no address is known near them. */
  readonly address: string | null;
}

export interface Explained {
  readonly geocode: Geocode | PointGeocode;
  readonly at: ProjectedPoint;
  readonly view: PlaceView;
  readonly geometry: LookupDetail['geometry'];
}

export class LookupWriter {
  readonly #answers: Catalogue['answers'];
  readonly #order: ReadonlyMap<string, number>;
  readonly #layers: LayersWriter;

  constructor(answers: Catalogue['answers']) {
    this.#answers = answers;
    this.#order = dataSetOrder(answers);
    this.#layers = new LayersWriter(answers);
  }

  /** Writes the layers' values. */
  layers(view: PlaceView): string {
    return this.#layers.plain(view);
  }

  /** Writes a `LookupBody` as `JSON.stringify` would. */
  plain(from: ServedSnapshot, place: Place, view: PlaceView): string {
    return withLayers(from, place, this.layers(view), '');
  }

  /** Writes a `FullLookupBody`: the members of a plain one, then the rest. */
  full(from: ServedSnapshot, place: Place, { at, view, geocode, geometry }: Explained): string {
    const { layers, evidence } = this.#layers.explained(view, geocode.uncertaintyM, from.sourceUntil);
    const near = geometry ? `,"geometry":${this.#near(from, at)}` : '';
    const rest = `,"geocode":${JSON.stringify(geocode)},"evidence":${evidence}${near}`;
    return withLayers(from, place, layers, `${rest},"snapshot":${from.json}`);
  }

  #near({ snapshot, cells }: ServedSnapshot, at: ProjectedPoint): string {
    const outlines = cells?.outlines;
    return outlines ? nearJson(outlines, at, this.#order) : JSON.stringify(nearGeometry(snapshot, at, this.#answers));
  }
}

/** The texts of dates and layers already exist. `rest`: the members after them. */
function withLayers(
  { dataAsOfJson }: ServedSnapshot,
  { address, lat, lon }: Place,
  layers: string,
  rest: string,
): string {
  return `{"address":${JSON.stringify(address)},"lat":${lat},"lon":${lon},"layers":${layers},"dataAsOf":${dataAsOfJson}${rest}}`;
}
