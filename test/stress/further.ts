// Compare the four further answers with SpatiaLite at many places, half of them beside edges (PLACES=500 SEED=1)
/**
 * The further answers over features drawn at random, fetched from servers as their owners have them: `make stress NAME=further`. Every answer
 * comes from the index and from the tables, which must agree, and is compared with what SpatiaLite finds in the drawn features. PLACES for each
 * answer (500), half of them at most 130 m from an edge; SEED for other features and places.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { Oracle, type Place } from '../real/oracle.ts';
import type { DegreeBox } from '../support/doubles/arcgis/authorities.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { polygonOf } from '../support/doubles/arcgis/authorities.ts';
import { authorities, Further, furtherServices } from '../support/doubles/further-servers.ts';
import type { Told } from '../support/oracles/answers-at.ts';
import { Miniature } from '../support/material/miniature.ts';
import { isClearOf, placeByEdge, star } from '../support/material/random-stars.ts';
import type { LonLat } from '../support/material/sample/frame.ts';
import { geoJson, polygon, type Ring, type TestFeature } from '../support/material/sources.ts';
import { atLeast, atMost, tell, type Figure } from './parts/figures-table.ts';

const PLACES = Number(process.env['PLACES'] ?? 500);
const random = seededRandom(Number(process.env['SEED'] ?? 1));
const FEATURES_OF_A_SERVICE = 60;
const WETLANDS = 400;
const EDGE_REACH_M = 130;
const ANYWHERE: DegreeBox = [-80.2, 43.3, -78.5, 44.6];
/** Coordinates are rounded to centimetres. */
const CLEAR_M = 0.1;
/** Of areas of authorities, whose long edges are straight in degrees and not in the projection. */
const CLEAR_OF_AREAS_M = 50;

using folder = temporaryFolder();
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const within = ([west, south, east, north]: DegreeBox): LonLat => [
  west + random() * (east - west),
  south + random() * (north - south),
];

type Attributes = TestFeature['properties'];
const UNKNOWN = 'unknown';
/** Before the JSON of a value: GDAL makes objects of texts that are JSON. */
const VALUE = 'value ';

/** A service and what its features mean: a value, nothing, or a word that nobody knows. */
interface Part {
  readonly service: string;
  /** Where it has features. */
  readonly box: DegreeBox;
  /** A place at which it is asked whether it says no. */
  readonly outside: LonLat;
  readonly means: (attributes: Attributes) => object | typeof UNKNOWN | null;
}

const areaOf = (authority: string): DegreeBox =>
  authorities.find(({ attributes }) => attributes!['LEGAL_NAME'] === authority)!.box;
const regulated = (name: string, service: string, outside: LonLat): Part => {
  const authority = `${name} Conservation Authority`;
  return {
    ...{ service, box: areaOf(authority), outside },
    means: ({ criteria_layers_contribution: criteria = null }) => ({ authority, criteria }),
  };
};

/** Parts in the order of the definitions: of features at one place, the first counts. */
const partsOf: Readonly<Record<string, readonly Part[]>> = {
  regulatedArea: [
    regulated('Toronto and Region', 'TRCA_Regulation_Limit2/FeatureServer', [-79.3985, 43.7066]),
    regulated('Lake Simcoe Region', 'OpenData/MapServer', [-79.476, 44.04]),
    regulated('Credit Valley', 'Hosted/Generic_Regulations_Limit_2025/FeatureServer', [-79.6424, 43.5931]),
    regulated('Central Lake Ontario', 'CLOCA/OPENDATA/MapServer', [-78.88, 43.8925]),
  ],
  wellheadProtection: [
    {
      ...{ service: 'OpenData/Clean_Water_Act/MapServer', box: [-79.8, 43.87, -79.55, 44.2] },
      outside: [-79.538, 43.825],
      means: (of) => ({ zone: of['WELLHEAD_PROTECTION_AREA'], name: of['NAME'], years: of['ZONE'] }),
    },
  ],
  heritageDistrict: [
    {
      ...{ service: 'Heritage_Conservation_District_Feature_Layer/FeatureServer', box: [-89.3, 48.4, -89.1, 48.5] },
      outside: [-89.25, 48.382],
      means: ({ Name: name }) => ({
        ...{ municipality: 'City of Thunder Bay', name, status: 'designated', bylaw: null, designatedOn: null },
      }),
    },
    {
      ...{ service: 'cot_geospatial11/MapServer', box: areaOf('Toronto and Region Conservation Authority') },
      outside: [-79.3985, 43.7066],
      means: districtOfToronto,
    },
  ],
};

function districtOfToronto(of: Attributes): ReturnType<Part['means']> {
  const words: Readonly<Record<string, string | null>> = {
    ...{ 'Designated District': 'designated', 'Under Appeal': 'under_appeal', 'Under Study': null },
  };
  const status = words[String(of['DESIGNATION_TYPE'])];
  if (status === undefined) return UNKNOWN;
  if (status === null) return null;
  const day = Number(of['HCD_DESDAT']);
  return {
    ...{ municipality: 'City of Toronto', name: of['HCD_NAME'] ?? null, status },
    bylaw: String(of['HCD_BYLAWN'] ?? '').trim() || null,
    designatedOn: day < 0 ? null : new Date(day).toISOString().slice(0, 10),
  };
}

/** What is right at a place: more than one answer where it is too near a limit to tell. */
type Right = ReadonlyMap<number, readonly unknown[]>;

const figures: Figure[] = [];
await compareServices();
await compareWetlands();
tell(figures);

async function compareServices(): Promise<void> {
  const parts = Object.values(partsOf).flat();
  const services = furtherServices.map((service) => {
    const part = parts.find((one) => one.service === service.service)!;
    const drawn = Array.from({ length: FEATURES_OF_A_SERVICE }, () => {
      const coordinates = [star(random, within(part.box), 50 + 900 * random())];
      return { attributes: pick(service.features).attributes, geometry: { type: 'Polygon' as const, coordinates } };
    });
    const kept = drawn.filter(({ geometry }) => isClearOf(geometry.coordinates, part.outside, 1000));
    return { ...service, features: [...service.features, ...kept] };
  });
  await using further = await Further.start(services);
  const { code, text } = await further.load('ca_admin_areas', ...Object.keys(partsOf));
  if (code !== 0) throw new Error(text);
  for (const [key, own] of Object.entries(partsOf)) {
    const features = own.flatMap(({ service, means }) =>
      services
        .find((one) => one.service === service)!
        .features.map(({ geometry, attributes }): TestFeature => {
          const meant = means(attributes as Attributes);
          return {
            geometry,
            properties: { meant: typeof meant === 'object' && meant ? VALUE + JSON.stringify(meant) : meant },
          };
        }),
    );
    const places = placesIn([...own.map((part) => part.box), ANYWHERE], features);
    const answers = further.askAll(key, places.map(lonLat));
    compare(key, { places, answers, right: rightOfParts(key, { places, features }) });
  }
}

/** The first feature with a value, else a word that nobody knows, else "not there" where regulated areas are known. */
function rightOfParts(
  key: string,
  { places, features }: { readonly places: readonly Place[]; readonly features: readonly TestFeature[] },
): Right {
  const oracle = oracleOver(key, places, {
    features,
    areas: authorities.map((one) => polygon(polygonOf(one.box).coordinates as Ring[])),
  });
  const known = oracle.inside('features.geojson', ['meant'], `meant LIKE '${VALUE}%'`);
  const unknown = oracle.inside('features.geojson', ['meant'], `meant = '${UNKNOWN}'`);
  const areas = key === 'regulatedArea' ? oracle.inside('areas.geojson', []) : new Map();
  return oracle.each(({ id }) => {
    const value = known.get(id)?.['meant'];
    if (value !== undefined) return [{ state: 'present', value: JSON.parse(value.slice(VALUE.length)) as object }];
    return [{ state: unknown.has(id) ? 'unavailable' : areas.has(id) ? 'absent' : 'no_coverage', value: null }];
  });
}

async function compareWetlands(): Promise<void> {
  const key = 'significantWetlandProximity';
  const area: DegreeBox = [-79, 44.5, -78.92, 44.56];
  const kinds: readonly Attributes[] = [
    { WETLAND_SIGNIFICANCE: 'Evaluated-Provincial', EVALUATED_WETLAND_IND: 'Yes' },
    ...Array.from({ length: 3 }, () => ({ WETLAND_SIGNIFICANCE: null, EVALUATED_WETLAND_IND: 'Yes' })),
    { WETLAND_SIGNIFICANCE: null, EVALUATED_WETLAND_IND: 'No' },
    { WETLAND_SIGNIFICANCE: null, EVALUATED_WETLAND_IND: null },
    { WETLAND_SIGNIFICANCE: 'Provincial', EVALUATED_WETLAND_IND: 'Yes' },
  ];
  const features = Array.from({ length: WETLANDS }, () => {
    const kind = pick(kinds);
    const { WETLAND_SIGNIFICANCE: significance, EVALUATED_WETLAND_IND: evaluated } = kind;
    const isKnown = evaluated === 'Yes' && significance === null;
    const meant = significance === 'Evaluated-Provincial' ? 'significant' : isKnown ? 'evaluated' : UNKNOWN;
    return polygon([star(random, within(area), 30 + 150 * random())], { ...kind, meant });
  });
  using miniature = await Miniature.of({ wetland: features });
  const places = placesIn([area], features);
  const answers = places.map((place) => miniature.ask(key, lonLat(place)));
  const oracle = oracleOver(key, places, { features });
  const near = oracle.distances(['features.geojson'], 'meant', 121);
  const classes = ['inside', 'regulated', 'adjacent'];
  const classAt = (id: number, shiftM: number): object => {
    const best: Record<string, number> = {};
    for (const { name, distanceM } of near.get(id) ?? []) {
      const m = distanceM === 0 ? 0 : Math.max(0, distanceM + shiftM);
      if (m <= 120)
        best[name] = Math.min(
          best[name] ?? Infinity,
          [0, 30, 120].findIndex((limit) => m <= limit),
        );
    }
    const { significant = Infinity, [UNKNOWN]: unknown = Infinity, evaluated = Infinity } = best;
    // A wetland of which nobody knows may be a significant one, and nearer.
    if (unknown < significant) return { state: 'unavailable', value: null };
    if (significant < Infinity) return { state: 'present', value: classes[significant] };
    return evaluated < Infinity ? { state: 'absent', value: 'outside' } : { state: 'no_coverage', value: null };
  };
  const right = oracle.each(({ id }) => [0, -0.3, 0.3].map((shiftM) => classAt(id, shiftM)));
  compare(key, { places, answers, right });
}

/** Half of the places beside edges, half anywhere in the boxes. */
function placesIn(boxes: readonly DegreeBox[], features: readonly TestFeature[]): Place[] {
  const rings = features.flatMap(({ geometry }) => geometry!.coordinates as Ring[]);
  const areas = authorities.flatMap((one) => polygonOf(one.box).coordinates as Ring[]);
  const places: Place[] = [];
  while (places.length < PLACES) {
    const isByEdge = places.length % 2 === 0;
    const at = isByEdge ? placeByEdge(random, rings, EDGE_REACH_M) : within(pick(boxes));
    const [lon, lat] = at.map((degrees) => Number(degrees.toFixed(7))) as [number, number];
    if (isClearOf(rings, [lon, lat], CLEAR_M) && isClearOf(areas, [lon, lat], CLEAR_OF_AREAS_M))
      places.push({ id: places.length, lon, lat });
  }
  return places;
}

/** SpatiaLite over drawn features, in files by name. */
function oracleOver(
  name: string,
  places: readonly Place[],
  files: Readonly<Record<string, readonly TestFeature[]>>,
): Oracle {
  const own = join(folder.path, name);
  mkdirSync(own);
  for (const [file, features] of Object.entries(files)) writeFileSync(join(own, `${file}.geojson`), geoJson(features));
  return new Oracle(own, own, places);
}

function lonLat({ lon, lat }: Place): LonLat {
  return [lon, lat];
}

function compare(
  key: string,
  {
    places,
    answers,
    right,
  }: { readonly places: readonly Place[]; readonly answers: readonly Told[]; readonly right: Right },
): void {
  const seen = new Map<string, number>();
  let [wrong, unsure] = [0, 0];
  for (const { id, lon, lat } of places) {
    const { state, value } = answers[id]!;
    const allowed = [...new Set(right.get(id)!.map((one) => JSON.stringify(one)))];
    if (allowed.length > 1) unsure++;
    if (!allowed.includes(JSON.stringify({ state, value }))) {
      wrong++;
      console.log(`${key} at ${lat}, ${lon}: ${state} ${JSON.stringify(value)}, right is ${allowed.join(' or ')}`);
    }
    const outcome = typeof value === 'string' ? value : state;
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
  }
  const told = [...seen].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  console.log(`${key}: ${told}; ${unsure} of them so near a limit that two answers are right`);
  figures.push(atMost(`${key}: wrong of ${places.length}`, wrong, 0));
  figures.push(atLeast(`${key}: different outcomes`, seen.size, key === 'wellheadProtection' ? 2 : 3));
}
