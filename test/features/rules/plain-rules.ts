/** The rules of the release written down a second time, as a table of their conditions, and judged by GEOS on what is drawn. */
import type Gdal from 'gdal-async';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import { parcelOf, type Site } from './drawn-world.ts';

/** 0 false, 1 not known, 2 true: "or" is the greatest, "and" the least. */
type Value = 0 | 1 | 2;

interface Node {
  readonly value: Value;
  /** Layers of the facts from which the value follows. */
  readonly layers: readonly string[];
}

/** What nobody can tell: a data set that is not loaded, or a distance that the index does not have. */
export interface Lacking {
  readonly dataSet?: string | undefined;
  readonly isOldIndex?: boolean;
}

class Looker {
  readonly site: Site;
  readonly isParcel: boolean;
  readonly #lacking: Lacking;
  readonly #shape: Gdal.Geometry;

  constructor(site: Site, isParcel: boolean, lacking: Lacking) {
    this.site = site;
    this.isParcel = isParcel;
    this.#lacking = lacking;
    this.#shape = isParcel ? gdal.Geometry.fromWKT(parcelOf(site)) : new gdal.Point(site.x, site.y);
  }

  #of(ids: readonly string[], counts: (said: Readonly<Record<string, string>>) => boolean, isUnclear: boolean) {
    return this.site.drawn
      .filter((one) => ids.includes(one.dataSet) && one.isUnclear === isUnclear && counts(one.attributes))
      .map(({ wkt }) => gdal.Geometry.fromWKT(wkt));
  }

  #nearestM(shapes: readonly Gdal.Geometry[]): number {
    return Math.min(Infinity, ...shapes.map((shape) => shape.distance(this.#shape) / this.site.scale));
  }

  #lacks(ids: readonly string[], isBeyondOldIndex: boolean): boolean {
    const { dataSet = '', isOldIndex = false } = this.#lacking;
    return ids.includes(dataSet) || (isOldIndex && isBeyondOldIndex) || this.site.uncertaintyM > 250;
  }

  near(layer: string, withinM: number, isPoint = false): Node {
    const { uncertaintyM: u, wetlandsKnownM } = this.site;
    const ids = partsOf[layer]!;
    if (this.#lacks(ids, layer === STREAM && withinM > 30)) return { value: 1, layers: [layer] };
    const counted = this.#nearestM(this.#of(ids, (said) => countsFor(layer, said), false));
    const unclear = this.#nearestM(this.#of(ids, () => true, true));
    const isKnown = layer !== WETLAND || wetlandsKnownM > withinM + u;
    const isTrue = counted + u <= withinM;
    const isFalse = isKnown && Math.min(counted, unclear) - u > withinM;
    // Near some land of a parcel is not near all of it.
    const value = isTrue ? (isPoint && this.isParcel ? 1 : 2) : isFalse ? 0 : 1;
    return { value, layers: [layer] };
  }

  inside(
    layer: string,
    dataSet: string,
    {
      isPoint = true,
      says = () => true,
    }: { readonly isPoint?: boolean; readonly says?: (said: Readonly<Record<string, string>>) => boolean } = {},
  ): Node {
    const { uncertaintyM: u } = this.site;
    const all = this.#of([dataSet], () => true, false);
    if (dataSet === this.#lacking.dataSet || u > 250) return { value: 1, layers: [layer] };
    if (this.isParcel) return { value: this.#share(dataSet, isPoint, says), layers: [layer] };
    const isNearEdge = all.some(
      (shape) => Math.round((shape.boundary().distance(this.#shape) / this.site.scale) * 10) / 10 <= u,
    );
    if (isNearEdge) return { value: 1, layers: [layer] };
    // The first feature in the order of the source has the word.
    const first = this.site.drawn.find(
      (one) => one.dataSet === dataSet && gdal.Geometry.fromWKT(one.wkt).contains(this.#shape),
    );
    return { value: first && says(first.attributes) ? 2 : 0, layers: [layer] };
  }

  #share(dataSet: string, isPoint: boolean, says: (said: Readonly<Record<string, string>>) => boolean): Value {
    let rest: Gdal.Geometry = this.#shape;
    let trueM2 = 0;
    for (const one of this.site.drawn.filter((each) => each.dataSet === dataSet)) {
      const shape = gdal.Geometry.fromWKT(one.wkt);
      if (says(one.attributes)) trueM2 += areaOf(rest.intersection(shape));
      rest = rest.difference(shape);
    }
    const share = trueM2 / areaOf(this.#shape);
    if (share < 1e-4) return 0;
    return isPoint && share < 1 - 1e-4 ? 1 : 2;
  }
}

function areaOf(shape: Gdal.Geometry): number {
  return (shape as Gdal.Polygon).getArea();
}

const [RAIL, WETLAND, LAKE, STREAM, WASTE] = [
  'railwayProximity',
  'wetlandProximity',
  'lakeshoreProximity',
  'watercourseProximity',
  'wasteSiteProximity',
] as const;

const partsOf: Readonly<Record<string, readonly string[]>> = {
  [RAIL]: ['orwn_track'],
  [WETLAND]: ['wetland'],
  [LAKE]: ['ohn_waterbody', 'ohn_shoreline'],
  [STREAM]: ['ohn_watercourse', 'ohn_waterbody'],
  [WASTE]: ['waste_management_site'],
};

/** Rivers count as watercourses, and not as lakes. */
function countsFor(layer: string, { WATERBODY_TYPE: type }: Readonly<Record<string, string>>): boolean {
  return type === undefined || (type === 'River') === (layer === STREAM);
}

const any = (...nodes: readonly Node[]): Node => joined(Math.max(...nodes.map(({ value }) => value)) as Value, nodes);
const all = (...nodes: readonly Node[]): Node => joined(Math.min(...nodes.map(({ value }) => value)) as Value, nodes);
const joined = (value: Value, nodes: readonly Node[]): Node => ({
  value,
  layers: nodes.filter((node) => node.value === value).flatMap(({ layers }) => layers),
});

const prescribed = (at: Looker): readonly Node[] => [
  at.near(RAIL, 300),
  at.near(WETLAND, 120),
  at.near(LAKE, 120),
  at.near(STREAM, 120),
];
const within30 = (at: Looker): Node =>
  any(at.near(WETLAND, 30, true), at.near(STREAM, 30, true), at.near(LAKE, 30, true));

const table: Readonly<Record<string, (at: Looker) => Node>> = {
  setback_90: (at) =>
    any(
      at.inside('greenbelt', 'greenbelt'),
      at.inside('ormcp', 'orm_land_use'),
      at.inside('nep', 'nep_boundary'),
      ...prescribed(at),
    ),
  site_plan_prescribed_area: (at) => any(...prescribed(at)),
  greenbelt_plan_30m: (at) =>
    all(
      at.inside('greenbeltDesignation', 'greenbelt', {
        says: (said) => said['DESIGNATION'] === 'Protected Countryside',
      }),
      within30(at),
    ),
  oak_ridges_moraine_30m: (at) => all(at.inside('ormcp', 'orm_land_use'), within30(at)),
  lake_simcoe_30m: (at) => all(at.inside('lakeSimcoeWatershed', 'lake_simcoe_watershed'), within30(at)),
  d4_waste_500m: (at) => at.near(WASTE, 500),
};

export const ruleIds = Object.keys(table).sort();

const names = ['not_excluded_by_mapped_data', 'not_known', 'excluded'] as const;

/** What each rule makes of a site: its outcome, and the layers from which it follows. */
export function plainOutcomes(site: Site, isParcel: boolean, lacking: Lacking = {}): Readonly<Record<string, string>> {
  const at = new Looker(site, isParcel, lacking);
  return Object.fromEntries(
    ruleIds.map((id) => {
      const { value, layers } = table[id]!(at);
      return [id, value === 0 ? names[0] : `${names[value]}: ${[...new Set(layers)].sort().join(' ')}`];
    }),
  );
}
