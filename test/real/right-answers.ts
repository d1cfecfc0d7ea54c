/** What every layer with data must say over the real extracts, read from the source files, and places at which to ask. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { cliOrThrow } from '../support/drivers/cli.ts';
import type { Expected, Oracle, Place } from './oracle.ts';
import { registerRows } from './register.ts';

/** Key -> what is right at each place. Keys that are not here have no data. */
export const rightAnswers: Readonly<Record<string, (oracle: Oracle) => Expected>> = {
  greenbelt: (oracle) => oracle.byPolygon({ file: 'greenbelt_designation_2023.geojson' }, () => true, false),
  greenbeltDesignation: (oracle) =>
    oracle.byPolygon(
      { file: 'greenbelt_designation_2023.geojson', columns: ['desg_e'] },
      ({ desg_e: name = '' }) =>
        ({
          'Protected Countryside': 'protected_countryside',
          'Urban River Valley': 'urban_river_valley',
          'Niagara Escarpment Plan': 'niagara_escarpment_plan',
          'Oak Ridges Moraine Conservation Plan': 'oak_ridges_moraine',
        })[name],
      null,
    ),
  specialtyCropArea: (oracle) =>
    oracle.byPolygon(
      {
        file: 'greenbelt_specialty_crop_2023.geojson',
        columns: ['desg_e'],
        where: "DESG_E IN ('Holland Marsh', 'Niagara Peninsula Tender Fruit and Grape Area')",
      },
      (row) => row['desg_e'],
      null,
    ),
  ormcp: (oracle) =>
    oracle.byPolygon(
      { file: 'orm_land_use_designation.geojson', columns: ['land_use_designation'] },
      (row) => row['land_use_designation'],
      null,
    ),
  nep: (oracle) => oracle.byPolygon({ file: 'niagara_escarpment_plan_area.geojson' }, () => true, false),
  lakeSimcoeWatershed: (oracle) => oracle.byPolygon({ file: 'lake_simcoe_protection_plan.geojson' }, () => true, false),
  caBoundary: (oracle) =>
    oracle.byPolygon(
      { file: 'conservation_authorities_gta_10.geojson', columns: ['ca_id', 'legal_name'], coverage: null },
      (row) => ({ caId: row['ca_id'], caName: row['legal_name'] }),
      null,
    ),
  municipality: (oracle) =>
    oracle.byPolygon(
      { file: 'gta_census_subdivisions_25.geojson', columns: ['csduid', 'csdname'], coverage: null },
      (row) => ({ munId: row['csduid'], name: row['csdname'], type: null, upperTier: null }),
      null,
    ),
  upperTierMunicipality: (oracle) =>
    oracle.byPolygon(
      { file: 'census_divisions_subset.geojson', columns: ['wof_id', 'name'], coverage: null },
      (row) => ({ munId: row['wof_id'], name: row['name'], type: null }),
      null,
    ),
  builtUpArea: (oracle) =>
    oracle.byPolygon(
      { file: 'ggh_delineated_built_boundary.zip', coverage: 'ggh_growth_plan_area.geojson' },
      () => true,
      false,
    ),
  woodedArea: (oracle) =>
    oracle.byPolygon({ file: 'solris_plantations.geojson', coverage: 'orm_boundary.geojson' }, () => true, false),
  soil: (oracle) =>
    oracle.byPolygon(
      { file: 'soil_cli_prince_edward_sample.geojson', columns: ['major'], coverage: null },
      ({ major = '' }) => soilAnswers[major] ?? null,
      null,
    ),
  aggregateSiteProximity: (oracle) =>
    oracle.byDistance({ files: ['aggregate_sites_authorized.geojson'], coverage: 'orm_boundary.geojson' }, () => [
      ['inside', 0],
      ['regulated', 300],
      ['adjacent', 500],
    ]),
  watercourseProximity: (oracle) =>
    oracle.byDistance(
      {
        files: ['ottawa_ditches.geojson'],
        coverage: ({ lat, lon }) => lon >= -76.36 && lon <= -75.24 && lat >= 44.95 && lat <= 45.54,
      },
      () => [
        ['inside', 2],
        ['regulated', 15],
        ['adjacent', 30],
      ],
    ),
  lakeshoreProximity: (oracle) =>
    oracle.byDistance(
      { files: ['ne_10m_lakes_ontario.geojson', 'lake_ontario_osm_utm17.geojson'], column: 'name' },
      (name) => [
        ['inside', 0],
        ['regulated', 15],
        ['adjacent', /^(Lake (Ontario|Erie|Huron|Superior|Michigan|St\.? Clair)|Georgian Bay)$/.test(name) ? 120 : 30],
      ],
    ),
};

/** A line of `land-lookup lookup --file`; without these where the place is refused. */
export interface PlaceAnswer {
  readonly layers?: Readonly<Record<string, unknown>>;
  readonly dataAsOf?: Readonly<Record<string, string>>;
}

/** What the program answers at each place. */
export function answersAt(dataDir: string, places: readonly Place[], folder: string): readonly PlaceAnswer[] {
  const csv = join(folder, 'places.csv');
  writeFileSync(csv, `lat,lon\n${places.map(({ lat, lon }) => `${lat},${lon}\n`).join('')}`);
  const lines = cliOrThrow(dataDir, 'lookup', '--file', csv).trim().split('\n');
  expect(lines).to.have.length(places.length);
  return lines.map((line) => JSON.parse(line) as PlaceAnswer);
}

/** The class and its words (reference: CLI soil capability); a rating that is none of the listed is not known. */
const soilAnswers: Record<string, { cliClass: string; description: string }> = {
  '1': { cliClass: '1', description: 'No significant limits for crops' },
  '2': { cliClass: '2', description: 'Moderate limits; moderate conservation practice needed' },
  '3': { cliClass: '3', description: 'Moderately severe limits; crop range narrowed or special practice needed' },
  '4': { cliClass: '4', description: 'Severe limits' },
  '5': { cliClass: '5', description: 'Very severe limits; perennial forage only, improvement feasible' },
  '6': { cliClass: '6', description: 'Natural grazing / perennial forage only, improvement not feasible' },
  '7': { cliClass: '7', description: 'No capability for arable crops or permanent pasture' },
};

/** Half register points, half up to 600 m from features of the loaded files, so that every layer has something to say. */
export function choosePlaces(
  data: string,
  { seed, count }: { readonly seed: number; readonly count: number },
): Place[] {
  const random = seededRandom(seed);
  const half = Math.ceil(count / 2);
  const register = registerRows(join(data, 'nar'));
  const first = Math.floor((random() * register.length) / half);
  const spread = Array.from({ length: half }, (_, i) => register[first + Math.floor((i * register.length) / half)]!);
  const around = Array.from({ length: count - half }, (_, i) => {
    const [lon, lat] = vertexOf(join(data, 'sources', nearFiles[i % nearFiles.length]!), random);
    const [angle, distance] = [random() * 2 * Math.PI, random() * 600];
    return {
      lat: Number((lat + (Math.sin(angle) * distance) / 111_000).toFixed(6)),
      lon: Number((lon + (Math.cos(angle) * distance) / 80_000).toFixed(6)),
    };
  });
  return [...spread, ...around].map(({ lat, lon }, id) => ({ id, lat, lon }));
}

const nearFiles = [
  'greenbelt_designation_2023.geojson',
  'greenbelt_specialty_crop_2023.geojson',
  'orm_land_use_designation.geojson',
  'niagara_escarpment_plan_area.geojson',
  'lake_simcoe_protection_plan.geojson',
  'conservation_authorities_gta_10.geojson',
  'gta_census_subdivisions_25.geojson',
  'ggh_growth_plan_area.geojson',
  'aggregate_sites_authorized.geojson',
  'ottawa_ditches.geojson',
  'ottawa_ditches.geojson',
  'soil_cli_prince_edward_sample.geojson',
  'solris_plantations.geojson',
];

const positionsOf = new Map<string, Position[]>();
type Position = readonly [lon: number, lat: number];

/** A random vertex of a GeoJSON file. */
function vertexOf(file: string, random: () => number): Position {
  let positions = positionsOf.get(file);
  if (!positions) {
    positions = [];
    const { features } = JSON.parse(readFileSync(file, 'utf8')) as {
      features: { geometry: { coordinates: unknown[] } }[];
    };
    for (const { geometry } of features) collectPositions(geometry.coordinates, positions);
    positionsOf.set(file, positions);
  }
  return positions[Math.floor(random() * positions.length)]!;
}

function collectPositions(coordinates: unknown[], into: Position[]): void {
  const [first, second] = coordinates;
  if (typeof first === 'number' && typeof second === 'number') into.push([first, second]);
  else for (const inner of coordinates) collectPositions(inner as unknown[], into);
}
