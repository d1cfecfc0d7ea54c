/** Writes the bodies of answered lookups as JSON. */
import { type Catalogue, answersOf } from '../../../src/catalogue/catalogue.ts';
import type { Coordinate, LookupDetail } from '../../../src/messages/lookup.ts';
import type { Geocode } from '../../../src/messages/wire/geocode.ts';
import type { PointGeocode } from '../../../src/messages/wire/point-lookup.ts';
import type { ProjectedPoint } from '../../geopackage/lambert.ts';
import type { ServedSnapshot } from '../feature.ts';
import { dataAsOfJson } from '../served-snapshot.ts';
import type { PlaceView } from '../views/view.ts';
import { answeredPlace, membersJson } from './answer-members.ts';
import type { AnswerDefinition, DataSetDefinition } from '../../../src/catalogue/definition.ts';
import type { LayerEvidence } from '../../../src/messages/wire/full-lookup.ts';
import type { AnswerKind } from '../kinds/kind.ts';
import { answerKinds, kindOf, answerLayer } from '../kinds/kinds.ts';
import { evidenceJson, evidenceOf } from './evidence.ts';

interface Place extends Coordinate {
  /** Null where coordinates were asked for and no address is known near them. */
  readonly address: string | null;
}

/** What is wanted of a place. */
interface Asked {
  readonly view: PlaceView;
  readonly further: LookupDetail['further'];
  readonly members: LookupDetail['members'];
  readonly lookupId?: LookupDetail['lookupId'] | undefined;
  readonly geocode: Geocode | PointGeocode;
}

export class LookupWriter {
  readonly #catalogue: Pick<Catalogue, 'answers' | 'further'>;
  readonly #layers: LayersWriter;

  constructor(catalogue: Pick<Catalogue, 'answers' | 'further'>) {
    this.#catalogue = catalogue;
    this.#layers = new LayersWriter(catalogue.answers);
  }

  /** Writes the layers' values. */
  layers(view: PlaceView): string {
    return this.#layers.plain(view);
  }

  /** Writes a `LookupBody` as `JSON.stringify` would. */
  plain(from: ServedSnapshot, place: Place, wanted: Asked): string {
    const { view, further, members } = wanted;
    const layers = this.#layers.plain(view);
    const rest = members ? this.#members(from, wanted) : '';
    if (!further) return withLayers(place, { layers, dataAsOf: from.dataAsOfJson }, rest);
    const asked = answersOf(this.#catalogue.further, further);
    const all = joined(layers, new LayersWriter(asked).plain(view));
    return withLayers(place, { layers: all, dataAsOf: dataAsOfJson(from, asked) }, rest);
  }

  /** Writes a `FullLookupBody`: the members of a plain one, then the rest. */
  full(
    from: ServedSnapshot,
    place: Place,
    wanted: Asked & { readonly at: ProjectedPoint; readonly geometry: LookupDetail['geometry'] },
  ): string {
    const { at, view, geocode, geometry, further, members } = wanted;
    const asked = answersOf(this.#catalogue.further, further);
    const told: LayerEvidence[] | undefined = members && [];
    const { layers, evidence } = this.#explained(from, { view, asked, told }, geocode.uncertaintyM);
    const near = geometry ? `,"geometry":${from.writeGeometry({ ...at, ...place }, geometry, asked)}` : '';
    const rest = `,"geocode":${JSON.stringify(geocode)},"evidence":${evidence}${near}`;
    const dataAsOf = dataAsOfJson(from, asked);
    const added = members ? this.#members(from, wanted, told) : '';
    return withLayers(place, { layers, dataAsOf }, `${rest},"snapshot":${from.json}${added}`);
  }

  #members(
    from: ServedSnapshot,
    { view, further, members = {}, lookupId, geocode }: Asked,
    told: LayerEvidence[] = [],
  ): string {
    const { answers, further: more } = this.#catalogue;
    const answered = answeredPlace({
      ...{ view, from, told },
      answers: further ? [...answers, ...answersOf(more, further)] : answers,
      ...{ uncertaintyM: geocode.uncertaintyM, lookupId },
    });
    return membersJson(from, members, answered);
  }

  #explained(
    { sourceUntil }: ServedSnapshot,
    {
      view,
      asked,
      told,
    }: {
      readonly view: PlaceView;
      readonly asked: Catalogue['answers'];
      readonly told: LayerEvidence[] | undefined;
    },
    uncertaintyM: number,
  ): { readonly layers: string; readonly evidence: string } {
    const place = { uncertaintyM, sourceUntil, told };
    const own = this.#layers.explained(view, place);
    if (asked.length === 0) return own;
    const added = new LayersWriter(asked).explained(view, place);
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

/** Writes every layer's value at a place as JSON. It joins texts, most of which exist, instead of building objects first. */
export class LayersWriter {
  readonly #members: readonly {
    /** The key with its punctuation. Keys need no escapes (layers/schema). */
    readonly name: string;
    readonly dataSet: DataSetDefinition;
    readonly answer: AnswerDefinition;
    readonly kind: AnswerKind<AnswerDefinition>;
  }[];

  constructor(answers: Catalogue['answers'], kinds = answerKinds) {
    this.#members = answers.map(({ dataSet, answer }, i) => ({
      ...{ dataSet, answer, kind: kindOf(answer, kinds) },
      name: `${i === 0 ? '' : ','}"${answer.key}":`,
    }));
  }

  plain(view: PlaceView): string {
    let json = '{';
    for (const { name, dataSet, answer, kind } of this.#members)
      json += name + answerLayer(view, dataSet, answer, kind).json;
    return `${json}}`;
  }

  /** `uncertaintyM`: expected error of the position, metres. */
  explained(
    view: PlaceView,
    {
      uncertaintyM,
      sourceUntil,
      told,
    }: {
      readonly uncertaintyM: number;
      readonly sourceUntil?: ReadonlyMap<string, string> | undefined;
      /** Takes the evidence of each layer, in their order. */
      readonly told?: LayerEvidence[] | undefined;
    },
  ): { readonly layers: string; readonly evidence: string } {
    let [layers, evidence] = ['{', '{'];
    for (const { name, dataSet, answer, kind } of this.#members) {
      const given = answerLayer(view, dataSet, answer, kind);
      const rests = evidenceOf(view, { dataSet, answer, kind, given, uncertaintyM, sourceUntil });
      layers += name + given.json;
      evidence += name + evidenceJson(rests);
      told?.push(rests);
    }
    return { layers: `${layers}}`, evidence: `${evidence}}` };
  }
}
