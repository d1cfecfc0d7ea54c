/** Writes the bodies of answered lookups as JSON. */
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Coordinate, LookupDetail } from '../../../src/messages/lookup.ts';
import type { Geocode } from '../../../src/messages/wire/geocode.ts';
import type { PointGeocode } from '../../../src/messages/wire/point-lookup.ts';
import type { ProjectedPoint } from '../../geopackage/projection.ts';
import type { ServedSnapshot } from '../feature.ts';
import { dataAsOfJson } from '../served-snapshot.ts';
import type { PlaceView } from '../views/view.ts';
import { answersOf } from './asked-answers.ts';
import { LayersWriter, type ExplainedLayers } from './layers-writer.ts';

export interface Place extends Coordinate {
  /** Null where coordinates were asked for and no address is known near them. */
  readonly address: string | null;
}

/** What is wanted of a place. */
interface Asked {
  readonly view: PlaceView;
  readonly further: LookupDetail['further'];
}

export interface Explained extends Asked {
  readonly geocode: Geocode | PointGeocode;
  readonly at: ProjectedPoint;
  readonly geometry: LookupDetail['geometry'];
}

export class LookupWriter {
  readonly #further: Catalogue['further'];
  readonly #layers: LayersWriter;

  constructor({ answers, further }: Pick<Catalogue, 'answers' | 'further'>) {
    this.#further = further;
    this.#layers = new LayersWriter(answers);
  }

  /** Writes the layers' values. */
  layers(view: PlaceView): string {
    return this.#layers.plain(view);
  }

  /** Writes a `LookupBody` as `JSON.stringify` would. */
  plain(from: ServedSnapshot, place: Place, { view, further }: Asked): string {
    const layers = this.layers(view);
    if (!further) return withLayers(place, { layers, dataAsOf: from.dataAsOfJson }, '');
    const asked = answersOf(this.#further, further);
    const all = joined(layers, new LayersWriter(asked).plain(view));
    return withLayers(place, { layers: all, dataAsOf: dataAsOfJson(from, asked) }, '');
  }

  /** Writes a `FullLookupBody`: the members of a plain one, then the rest. */
  full(from: ServedSnapshot, place: Place, { at, view, geocode, geometry, further }: Explained): string {
    const asked = answersOf(this.#further, further);
    const { layers, evidence } = this.#explained(from, { view, asked }, geocode.uncertaintyM);
    const near = geometry ? `,"geometry":${from.writeGeometry({ ...at, ...place }, geometry, asked)}` : '';
    const rest = `,"geocode":${JSON.stringify(geocode)},"evidence":${evidence}${near}`;
    const dataAsOf = dataAsOfJson(from, asked);
    return withLayers(place, { layers, dataAsOf }, `${rest},"snapshot":${from.json}`);
  }

  #explained(
    { sourceUntil }: ServedSnapshot,
    { view, asked }: { readonly view: PlaceView; readonly asked: Catalogue['answers'] },
    uncertaintyM: number,
  ): ExplainedLayers {
    const own = this.#layers.explained(view, uncertaintyM, sourceUntil);
    if (asked.length === 0) return own;
    const added = new LayersWriter(asked).explained(view, uncertaintyM, sourceUntil);
    return { layers: joined(own.layers, added.layers), evidence: joined(own.evidence, added.evidence) };
  }
}

/** Joins two JSON objects that have members. */
function joined(first: string, second: string): string {
  return `${first.slice(0, -1)},${second.slice(1)}`;
}

/** The texts of dates and layers already exist. `rest`: the members after them. */
function withLayers(
  { address, lat, lon }: Place,
  { layers, dataAsOf }: Readonly<Record<'layers' | 'dataAsOf', string>>,
  rest: string,
): string {
  return `{"address":${JSON.stringify(address)},"lat":${lat},"lon":${lon},"layers":${layers},"dataAsOf":${dataAsOf}${rest}}`;
}
