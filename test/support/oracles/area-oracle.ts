/**
 * The shares of an area a second time, by whole shapes from the feature tables: intersections, differences, unions and buffers of a geometry library.
 * The library is a parameter: GEOS through GDAL in tests that run everywhere, SpatiaLite on large data.
 */
import type {
  AnswerDefinition,
  DataSetDefinition,
  FieldFilter,
  MemberDefinition,
  ProximityAnswer,
} from '../../../src/catalogue/definition.ts';
import { countsByRules, readable } from '../../lookup/plain-answers.ts';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';

type Attributes = Readonly<Record<string, string | number | null>>;

export interface Stored<G> {
  readonly id: number;
  readonly shape: G;
  readonly attributes: Attributes;
}

/** A geometry library over the feature tables of a snapshot; null stands for nothing. Projection metres. */
export interface Shapes<G> {
  /** Features whose box comes within a distance of the shape's, in the order of their ids. */
  near(table: string, shape: G, metres: number): readonly Stored<G>[];
  area(shape: G | null): number;
  intersection(a: G | null, b: G | null): G | null;
  difference(a: G | null, b: G | null): G | null;
  union(shapes: readonly G[]): G | null;
  buffer(shape: G, metres: number): G;
  boundary(shape: G): G;
  distance(a: G, b: G): number;
}

export interface AreaQuestion<G> {
  readonly shapes: Shapes<G>;
  readonly dataSets: SnapshotManifest['dataSets'];
  /** In projection metres, valid. */
  readonly area: G;
  readonly scale: number;
}

/** Shares by value, band or `share`; what is left to 1 is absent. Null: the snapshot lacks the data set. */
export interface PlainShares {
  readonly shares: ReadonlyMap<string, number>;
  readonly unknownShare: number;
  /** Ground metres to each feature that counts. */
  readonly distances: readonly number[];
}

/** Makes a function that answers layers for an area. */
export function plainSharesOf<G>(question: AreaQuestion<G>): (layer: Layer) => PlainShares | null {
  const measure = new Measure(question);
  return (layer) => (question.dataSets[layer.dataSet.id] ? sharesOf(measure, layer) : null);
}

interface Layer {
  readonly dataSet: DataSetDefinition;
  readonly answer: AnswerDefinition;
}

function sharesOf<G>(measure: Measure<G>, { dataSet, answer }: Layer): PlainShares {
  switch (answer.kind) {
    case 'boolean':
      return measure.byFeature(dataSet.id, () => 'share');
    case 'value':
      return measure.byFeature(dataSet.id, ({ attributes }) => text(attributes, answer));
    case 'object':
      return measure.byFeature(dataSet.id, ({ attributes }) => members(attributes, answer.members));
    case 'proximity':
      return measure.byBand(dataSet.id, answer);
    case 'count':
      return measure.around(dataSet.id, answer.radiusM);
  }
}

/** Whether a feature counts by the rules of an answer; null: they do not say. */
function standingOf(attributes: Attributes, { judgedBy }: ProximityAnswer): boolean | null {
  return judgedBy ? countsByRules({ properties: attributes }, judgedBy) : true;
}

class Measure<G> {
  readonly #question: AreaQuestion<G>;
  readonly #total: number;
  readonly #inOntario: G | null;

  constructor(question: AreaQuestion<G>) {
    const { shapes, area } = question;
    this.#question = question;
    this.#total = shapes.area(area);
    this.#inOntario = shapes.intersection(
      area,
      shapes.union(shapes.near('province', area, 0).map(({ shape }) => shape)),
    );
  }

  byFeature(table: string, keyOf: (feature: Stored<G>) => string | null): PlainShares {
    const { shapes, area } = this.#question;
    const found = new Map<string, number>();
    let left = this.#inOntario;
    let unknown = 0;
    for (const feature of shapes.near(table, area, 0)) {
      const here = shapes.area(shapes.intersection(left, feature.shape));
      if (here === 0) continue;
      const key = keyOf(feature);
      if (key === null) unknown += here;
      else found.set(key, (found.get(key) ?? 0) + here);
      left = shapes.difference(left, feature.shape);
    }
    const clear = shapes.difference(left, shapes.union(this.#unclear(table, 0).map(({ shape }) => shape)));
    const notKnown = shapes.area(left) - shapes.area(this.#known(table, clear)) + unknown + this.#outside();
    return this.#shares(found, notKnown, []);
  }

  byBand(table: string, answer: ProximityAnswer): PlainShares {
    const { shapes, area, scale, dataSets } = this.#question;
    const reachM = Math.max(
      ...limits(answer, answer.bands),
      ...(answer.bandsFor ?? []).flatMap((one) => limits(answer, one.bands)),
    );
    const parts = [{ dataSet: table, only: answer.only, ignore: answer.ignore }, ...(answer.with ?? [])];
    const features = parts
      .filter((part) => dataSets[part.dataSet])
      .flatMap((part) =>
        shapes
          .near(part.dataSet, area, reachM * scale)
          .filter(({ attributes }) => counts(attributes, part) && standingOf(attributes, answer) === true),
      );
    const { judgedBy } = answer;
    const judged = (standing: boolean | null): readonly Stored<G>[] =>
      shapes.near(table, area, reachM * scale).filter(({ attributes }) => standingOf(attributes, answer) === standing);
    const unclear = judgedBy ? judged(null) : this.#unclear(table, reachM * scale);
    const found = new Map<string, number>();
    let left = this.#inOntario;
    let doubtful = 0;
    const bandOf = (of: readonly Stored<G>[], rank: number): G | null =>
      shapes.union(
        of.map(({ shape, attributes }) => {
          const special = answer.bandsFor?.find((one) => matches(attributes, one))?.bands;
          const limit = limits(answer, special ?? {})[rank]!;
          return limit > 0 ? shapes.buffer(shape, limit * scale) : shape;
        }),
      );
    for (const [rank, name] of ['inside', 'regulated', 'adjacent'].entries()) {
      const band = bandOf(features, rank);
      found.set(name, shapes.area(shapes.intersection(left, band)));
      left = shapes.difference(left, band);
      // Farther out the class would not be the closest, if these features count.
      const doubt = bandOf(unclear, rank);
      doubtful += shapes.area(shapes.intersection(left, doubt));
      left = shapes.difference(left, doubt);
    }
    const known = judgedBy
      ? shapes.intersection(left, bandOf(judged(false), 2))
      : this.#known(table, left, answer.wholeBand === true ? reachM : 0);
    found.set('outside', shapes.area(known));
    const distances = features.map(({ shape }) => shapes.distance(area, shape) / scale).filter((d) => d <= reachM);
    return this.#shares(found, shapes.area(left) - shapes.area(known) + doubtful + this.#outside(), distances);
  }

  around(table: string, radiusM: number): PlainShares {
    const { shapes, area, scale } = this.#question;
    const distances = shapes
      .near(table, area, radiusM * scale)
      .map(({ shape }) => shapes.distance(area, shape) / scale);
    const known = shapes.area(this.#known(table, this.#inOntario));
    return this.#shares(
      new Map(),
      this.#total - known,
      distances.filter((d) => d <= radiusM),
    );
  }

  /** Features of which nobody knows whether they count. */
  #unclear(table: string, metres: number): readonly Stored<G>[] {
    const { shapes, dataSets, area } = this.#question;
    return dataSets[table]?.beside?.unclear ? shapes.near(`${table}_unclear`, area, metres) : [];
  }

  #outside(): number {
    return this.#total - this.#question.shapes.area(this.#inOntario);
  }

  #known(table: string, shape: G | null, withinM = 0): G | null {
    const { shapes, dataSets, area, scale } = this.#question;
    const { coverage } = dataSets[table]!;
    if (coverage !== 'area') return coverage === 'province' ? shape : null;
    const areas = shapes
      .near('coverage', area, withinM * scale)
      .filter(({ attributes }) => attributes['data_set'] === table);
    const whole = shapes.union(areas.map((one) => one.shape));
    const known = shapes.intersection(shape, whole);
    return withinM === 0 || whole === null
      ? known
      : shapes.difference(known, shapes.buffer(shapes.boundary(whole), withinM * scale));
  }

  #shares(found: ReadonlyMap<string, number>, unknown: number, distances: readonly number[]): PlainShares {
    const shares = new Map([...found].map(([key, units]) => [key, units / this.#total]));
    return { shares, unknownShare: unknown / this.#total, distances };
  }
}

/** Limits of the classes, each at least that of the class before it; a special one replaces a general one. */
function limits(
  { insideWithinM = 0, bands }: ProximityAnswer,
  special: ProximityAnswer['bands'],
): readonly [number, number, number] {
  const { regulated = 0, adjacent = 0 } = { ...bands, ...special };
  return [insideWithinM, Math.max(insideWithinM, regulated), Math.max(insideWithinM, regulated, adjacent)];
}

function counts(
  attributes: Attributes,
  { only, ignore }: { readonly only?: FieldFilter | undefined; readonly ignore?: FieldFilter | undefined },
): boolean {
  return (!only || matches(attributes, only)) && !(ignore && matches(attributes, ignore));
}

function matches(attributes: Attributes, { field, values }: FieldFilter): boolean {
  const value = attributes[field];
  return value !== null && value !== undefined && values.includes(String(value));
}

/** JSON of the value; null when a member that must be there is not known. */
function members(attributes: Attributes, wanted: Readonly<Record<string, MemberDefinition>>): string | null {
  const value: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(wanted)) {
    const json = text(attributes, member);
    const served: unknown = json === null ? null : JSON.parse(json);
    if (served === null && member.required === true) return null;
    value[name] = served !== null && member.as === 'number' ? Number(served) : served;
  }
  return JSON.stringify(value);
}

type Read = Pick<MemberDefinition, 'field' | 'codes' | 'style' | 'otherwise'>;

function text(attributes: Attributes, { field, codes, style, otherwise }: Read): string | null {
  const found = String(attributes[field] ?? '').trim();
  if (found === '') return otherwise ? text(attributes, otherwise) : null;
  const served = codes ? codes[found] : style === 'name' ? readable(found) : found;
  return served === undefined ? null : JSON.stringify(served);
}
