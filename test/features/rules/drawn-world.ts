/** Places and parcels with features drawn around the limits of rules, a metre on either side, and what is drawn round each of them. */
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { rulesVersion } from '../../../src/catalogue/counting.ts';
import { indexedDataSets } from '../../../workers/engine/kinds/indexed-data-sets.ts';
import type { IndexedDataSet } from '../../../workers/engine/cells/format.ts';
import { buildCells } from '../../../workers/import/cells/build.ts';
import { fromLambert } from '../../../workers/geopackage/lambert.ts';
import { readManifest } from '../../../workers/geopackage/snapshot.ts';
import {
  writeSnapshot,
  type HandMadeDataSet,
  type HandMadeFeature,
} from '../../support/material/hand-made-snapshot.ts';

/** Metres between two places: nothing that is drawn round one is within reach of another. */
const SPACING = 3000;
const [WEST, SOUTH] = [1_200_000, 11_850_000];

/** A feature beside a place, in projection metres. */
export interface Drawn {
  readonly dataSet: string;
  readonly isUnclear: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly wkt: string;
}

export interface Site {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly uncertaintyM: number;
  readonly drawn: readonly Drawn[];
  /** Metres to the east up to which the wetlands are known. */
  readonly wetlandsKnownM: number;
}

/** A parcel lies west of its place, and its eastern side runs through it. Metres. */
export const PARCEL = { width: 40, height: 60 };

export const box = (
  { x, y, scale }: Pick<Site, 'x' | 'y' | 'scale'>,
  from: number,
  to: number,
  half: number,
): string => {
  const corners = [
    [from, -half],
    [to, -half],
    [to, half],
    [from, half],
    [from, -half],
  ];
  return `POLYGON((${corners.map(([dx, dy]) => `${x + dx! * scale} ${y + dy! * scale}`).join(',')}))`;
};

/** The ring of a parcel, in projection metres. */
export const parcelOf = (site: Site): string => box(site, -PARCEL.width, 0, PARCEL.height / 2);

type Random = () => number;
const oneOf = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

/** Data sets whose features have surroundings, with the distances of rules, and what their features say. */
const near: readonly (readonly [string, readonly number[], readonly Readonly<Record<string, string>>[]])[] = [
  ['orwn_track', [300], [{ STATUS: 'Operational' }]],
  ['wetland', [120, 30], [{ WETLAND_TYPE: 'Swamp' }]],
  ['ohn_waterbody', [120, 30], [{ WATERBODY_TYPE: 'Lake' }, { WATERBODY_TYPE: 'River' }, { WATERBODY_TYPE: 'Pond' }]],
  ['ohn_shoreline', [120, 30], [{}]],
  ['ohn_watercourse', [120, 30], [{ WATERCOURSE_TYPE: 'Stream' }]],
  ['waste_management_site', [500], [{ KIND: 'site' }]],
];
const lines = ['orwn_track', 'ohn_shoreline', 'ohn_watercourse'];

/** Plans, and what their features say. */
const plans: readonly (readonly [string, readonly Readonly<Record<string, string>>[]])[] = [
  ['greenbelt', [{ DESIGNATION: 'Protected Countryside' }, { DESIGNATION: 'Urban River Valley' }]],
  ['orm_land_use', [{ LAND_USE_DESIGNATION: 'Natural Core Area' }]],
  ['nep_boundary', [{}]],
  ['lake_simcoe_watershed', [{}]],
];

export const usedDataSets = [...near, ...plans].map(([id]) => id);

/** Draws a site: with some uncertainty or, of a parcel, none. */
function siteAt(i: number, random: Random, isParcel: boolean): Site {
  const columns = 48;
  const [x, y] = [WEST + (i % columns) * SPACING, SOUTH + Math.floor(i / columns) * SPACING];
  const at = { x, y, scale: fromLambert(x, y).scale };
  const uncertaintyM = isParcel ? 0 : oneOf(random, [0, 0, 0, 10, 30, 30, 100, 260]);
  const beside = oneOf(random, [1, -1]);
  const draw = (): Drawn => (random() < 0.4 ? drawPlan() : drawNear(oneOf(random, near)));
  const drawPlan = (
    edges = isParcel ? [1, -1, -39, -41, -200] : [1, -1, uncertaintyM + beside, -uncertaintyM - beside, -240],
  ): Drawn => {
    const [dataSet, said] = oneOf(random, plans);
    return {
      ...{ dataSet, isUnclear: false, attributes: oneOf(random, said) },
      wkt: box(at, oneOf(random, edges), 300, 300),
    };
  };
  const drawNear = ([dataSet, limits, said]: (typeof near)[number]): Drawn => {
    const limitM = oneOf(random, limits);
    const distanceM = limitM + oneOf(random, [beside, beside, uncertaintyM + beside, -uncertaintyM + beside, 77.3]);
    const [from, to] = [Math.max(1, distanceM) * at.scale, 200 * at.scale];
    return {
      ...{ dataSet, attributes: oneOf(random, said) },
      isUnclear: dataSet === 'orwn_track' && random() < 0.4,
      wkt: lines.includes(dataSet)
        ? `LINESTRING(${x + from} ${y - to},${x + from} ${y + to})`
        : box(at, from / at.scale, from / at.scale + 100, 200),
    };
  };
  const drawn =
    random() < 0.3
      ? [
          drawPlan([-240]),
          drawNear(
            oneOf(
              random,
              near.filter(([, limits]) => limits.includes(30)),
            ),
          ),
        ]
      : Array.from({ length: oneOf(random, [0, 1, 1, 2, 3]) }, draw);
  const knownM = random() < 0.7 ? 1400 : oneOf(random, [120, 30]) + uncertaintyM + beside;
  return { ...at, uncertaintyM, drawn, wetlandsKnownM: knownM };
}

export interface World {
  readonly places: readonly Site[];
  readonly parcels: readonly Site[];
}

export function drawWorld(places: number, parcels: number, random: Random): World {
  const all = Array.from({ length: places + parcels }, (_, i) => siteAt(i, random, i >= places));
  return { places: all.slice(0, places), parcels: all.slice(places) };
}

/** Writes the world as a snapshot with its index. @param without a data set that is not loaded. @param indexed changes what the index keeps. */
export async function writeWorld(
  folder: string,
  { places, parcels }: World,
  {
    catalogue,
    without,
    indexed,
  }: {
    readonly catalogue: Catalogue;
    readonly without?: string;
    readonly indexed?: (sets: readonly IndexedDataSet[]) => readonly IndexedDataSet[];
  },
): Promise<void> {
  const sites = [...places, ...parcels];
  const dataSets: Record<string, HandMadeDataSet> = {
    province: { features: [{ wkt: box({ x: WEST, y: SOUTH, scale: 1 }, -9e4, 4e5, 4e5) }] },
    coverage: {
      features: sites.map((site) => ({
        wkt: box(site, -1400, site.wetlandsKnownM, 1400),
        attributes: { data_set: 'wetland' },
      })),
    },
  };
  for (const id of usedDataSets.filter((one) => one !== without)) {
    const of = (isUnclear: boolean): HandMadeFeature[] =>
      sites.flatMap(({ drawn }) => drawn.filter((one) => one.dataSet === id && one.isUnclear === isUnclear));
    const unclear = of(true);
    dataSets[id] = {
      features: [...of(false), far(id)],
      ...(unclear.length > 0 ? { beside: { unclear } } : {}),
      coverage: id === 'wetland' ? 'area' : 'province',
    };
  }
  await writeIndexed(folder, dataSets, { catalogue, indexed });
}

/** Writes data sets as a snapshot with its index, as an import of this release would. @param indexed changes what the index keeps. */
export async function writeIndexed(
  folder: string,
  dataSets: Readonly<Record<string, HandMadeDataSet>>,
  {
    catalogue,
    indexed = (sets) => sets,
  }: {
    readonly catalogue: Catalogue;
    readonly indexed?: ((sets: readonly IndexedDataSet[]) => readonly IndexedDataSet[]) | undefined;
  },
): Promise<void> {
  writeSnapshot(folder, dataSets);
  const manifest = readManifest(folder);
  const records = Object.entries(manifest.dataSets).map(([id, record]) => {
    const countedBy = rulesVersion(catalogue.dataSets.find((one) => one.id === id)?.counts);
    return [id, countedBy === undefined ? record : { ...record, countedBy }];
  });
  const whole = { ...manifest, dataSets: Object.fromEntries(records) as typeof manifest.dataSets };
  const { leaves } = await buildCells({
    gpkg: join(folder, 'land.gpkg'),
    dataSets: indexed(indexedDataSets(catalogue.answers, whole)),
  });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...whole, cells: { format: 1, leaves } }));
}

/** Each table has a feature with all its fields, far from everything. */
function far(id: string): HandMadeFeature {
  const said = [...near.map(([one, , fields]) => [one, fields] as const), ...plans].find(([one]) => one === id)![1];
  const [x, y] = [WEST - 50_000, SOUTH - 50_000];
  return {
    wkt: lines.includes(id) ? `LINESTRING(${x} ${y},${x + 10} ${y})` : box({ x, y, scale: 1 }, 0, 10, 10),
    attributes: said[0]!,
  };
}
