/**
 * A synthetic province: all data sets of the catalogue with the sizes and shapes of the real ones, deterministic. SCALE=1 is
 * about 1.1 million features and 62 million vertices; SCALE multiplies the density.
 */
import type { AnswerDefinition, DataSetDefinition } from '../../../../src/catalogue/definition.ts';
import type { Attribute } from '../../../../workers/geopackage/attribute.ts';
import { createFeatureTable, type FeatureWriter } from '../../../../workers/import/features/feature-table.ts';
import { toGpkgGeometry } from '../../../../workers/geopackage/gpkg-geometry.ts';
import { openForWriting } from '../../../../workers/geopackage/land-file.ts';
import { seededRandom } from '../../../../workers/verify/seeded-random.ts';
import { blob, lineWkb, pointWkb, polygonWkb, sharedEdge, wander, type Position } from './shapes.ts';

interface Recipe {
  readonly shape: 'blobs' | 'partition' | 'lines' | 'points';
  /** At SCALE=1. */
  readonly count: number;
  readonly vertices: number;
  /** Radius of a blob, step of a line, in metres. */
  readonly sizeM?: number;
  /** One polygon in this many has a hole. */
  readonly holeEvery?: number;
}

/** Nine tenths lie in the south, as people and records do; the north is nearly empty. */
const SOUTH = { minX: 850_000, minY: 11_720_000, maxX: 1_650_000, maxY: 12_120_000 } as const;
const NORTH = { minX: 350_000, minY: 12_120_000, maxX: 1_500_000, maxY: 13_300_000 } as const;
const SOUTH_SHARE = 0.9;
const SEED = 20261121;

const small: Recipe = { shape: 'blobs', count: 300, vertices: 200, sizeM: 4000 };
const recipes: Readonly<Record<string, Recipe>> = {
  province: { shape: 'blobs', count: 1, vertices: 150_000 },
  greenbelt: { shape: 'blobs', count: 90, vertices: 8000, sizeM: 12_000, holeEvery: 3 },
  greenbelt_specialty_crop: { shape: 'blobs', count: 2, vertices: 20_000, sizeM: 15_000 },
  orm_land_use: { shape: 'partition', count: 583, vertices: 400 },
  nep_boundary: { shape: 'blobs', count: 12, vertices: 10_000, sizeM: 20_000, holeEvery: 2 },
  lake_simcoe_watershed: { shape: 'blobs', count: 1, vertices: 120_000, sizeM: 34_000, holeEvery: 1 },
  natural_heritage_system: { shape: 'blobs', count: 300, vertices: 8000, sizeM: 8000, holeEvery: 2 },
  soil_survey_complex: { shape: 'partition', count: 117_500, vertices: 64 },
  ca_admin_areas: { shape: 'partition', count: 36, vertices: 20_000 },
  municipal_lower_single: { shape: 'partition', count: 414, vertices: 4000 },
  municipal_upper_district: { shape: 'partition', count: 40, vertices: 16_000 },
  geographic_township: { shape: 'partition', count: 2500, vertices: 256 },
  lot_fabric: { shape: 'partition', count: 180_000, vertices: 8 },
  source_protection_area: { shape: 'partition', count: 118, vertices: 8000 },
  owb_tertiary: { shape: 'partition', count: 140, vertices: 8000 },
  ecoregion: { shape: 'partition', count: 14, vertices: 32_000 },
  clupa_provincial: { shape: 'partition', count: 1261, vertices: 1000 },
  wetland: { shape: 'blobs', count: 280_000, vertices: 72, sizeM: 150, holeEvery: 8 },
  wooded_area: { shape: 'blobs', count: 170_000, vertices: 72, sizeM: 250, holeEvery: 5 },
  ohn_waterbody: { shape: 'blobs', count: 60_000, vertices: 90, sizeM: 200, holeEvery: 10 },
  tile_drainage_area: { shape: 'blobs', count: 30_000, vertices: 20, sizeM: 300 },
  built_up_area: { shape: 'blobs', count: 1500, vertices: 500, sizeM: 1500, holeEvery: 5 },
  flood_hazard: { shape: 'blobs', count: 3000, vertices: 1200, sizeM: 600, holeEvery: 2 },
  ohn_watercourse: { shape: 'lines', count: 120_000, vertices: 60, sizeM: 25 },
  ohn_shoreline: { shape: 'lines', count: 10_000, vertices: 100, sizeM: 20 },
  constructed_drain: { shape: 'lines', count: 25_000, vertices: 30, sizeM: 40 },
  orwn_track: { shape: 'lines', count: 19_000, vertices: 20, sizeM: 60 },
  utility_line: { shape: 'lines', count: 3400, vertices: 30, sizeM: 300 },
  well_records: { shape: 'points', count: 100_000, vertices: 1 },
  petroleum_well: { shape: 'points', count: 27_000, vertices: 1 },
  airport_official: { ...small, count: 403 },
  aggregate_site_active: { shape: 'blobs', count: 5591, vertices: 40, sizeM: 300 },
  waste_management_site: { shape: 'blobs', count: 813, vertices: 30, sizeM: 200 },
};

export interface Generated {
  readonly features: number;
  readonly vertices: number;
  /** Rows by table. */
  readonly tables: ReadonlyMap<string, number>;
}

/** Writes all tables into the `land.gpkg` of a folder that `createLandFile` prepared. */
export function generateProvince(folder: string, dataSets: readonly DataSetDefinition[], scale: number): Generated {
  const db = openForWriting(folder);
  const tables = new Map<string, number>();
  let vertices = 0;
  db.exec('BEGIN');
  for (const [index, definition] of dataSets.entries()) {
    const { id, fields, geometry, title } = definition;
    const recipe = recipes[id] ?? small;
    const random = seededRandom(SEED + index);
    const columns = Object.entries(fields).map(([name, { type }]) => ({ name, type }));
    const writer = createFeatureTable(db, { name: id, title, family: geometry, columns });
    const count = id === 'province' ? 1 : Math.round(recipe.count * scale);
    for (const wkb of shapes(recipe, count, random)) {
      const stored = toGpkgGeometry(wkb)!;
      vertices += stored.vertexCount;
      writer.add(stored, attributesOf(definition, writer, random));
    }
    writer.finish();
    tables.set(id, writer.count);
  }
  db.exec('COMMIT');
  db.close();
  return { features: [...tables.values()].reduce((a, b) => a + b, 0), vertices, tables };
}

function* shapes(recipe: Recipe, count: number, random: () => number): Generator<Buffer> {
  if (recipe.shape === 'partition') {
    yield* partition(recipe, count, random);
    return;
  }
  if (recipe.sizeM === undefined && recipe.shape === 'blobs') {
    yield polygonWkb([provinceRing(recipe.vertices)]);
    return;
  }
  for (let i = 0; i < count; i++) {
    const at = somewhere(random);
    const size = (recipe.sizeM ?? 1) * (0.5 + random());
    if (recipe.shape === 'points') yield pointWkb(at);
    else if (recipe.shape === 'lines') yield lineWkb(wander(random, at, size, recipe.vertices));
    else yield polygonWkb(withHole(recipe, i, blob(random, at, size, recipe.vertices), { random, at, size }));
  }
}

function withHole(
  { holeEvery, vertices }: Recipe,
  i: number,
  outer: Float64Array,
  { random, at, size }: { readonly random: () => number; readonly at: Position; readonly size: number },
): Float64Array[] {
  if (holeEvery === undefined || i % holeEvery !== 0) return [outer];
  return [outer, blob(random, at, size / 4, Math.max(8, vertices >> 2))];
}

/** Cells that share their borders vertex for vertex over the south, so that every place there has exactly one. */
function* partition({ vertices }: Recipe, count: number, random: () => number): Generator<Buffer> {
  const rows = Math.max(1, Math.round(Math.sqrt(count / 2)));
  const columns = Math.max(1, Math.round(count / rows));
  const [width, height] = [(SOUTH.maxX - SOUTH.minX) / columns, (SOUTH.maxY - SOUTH.minY) / rows];
  const corners = Array.from({ length: (rows + 1) * (columns + 1) }, (_, i): Position => {
    const [column, row] = [i % (columns + 1), Math.floor(i / (columns + 1))];
    const shift = (): number => (random() - 0.5) * 0.4;
    return [SOUTH.minX + (column + shift()) * width, SOUTH.minY + (row + shift()) * height];
  });
  const corner = (column: number, row: number): Position => corners[row * (columns + 1) + column]!;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const around = [
        corner(column, row),
        corner(column + 1, row),
        corner(column + 1, row + 1),
        corner(column, row + 1),
      ];
      const ring = around.flatMap((from, i) => sharedEdge(from, around[(i + 1) % 4]!, vertices / 4));
      yield polygonWkb([Float64Array.from(ring.flat())]);
    }
  }
}

/** A rectangle round everything, with a wavy border of many vertices. */
function provinceRing(vertices: number): Float64Array {
  const [minX, minY, maxX, maxY] = [
    NORTH.minX - 100_000,
    SOUTH.minY - 60_000,
    SOUTH.maxX + 60_000,
    NORTH.maxY + 60_000,
  ];
  const around: Position[] = [
    [minX, minY],
    [maxX, minY],
    [maxX, maxY],
    [minX, maxY],
  ];
  const ring = around.flatMap((from, i) => {
    const [to, steps] = [around[(i + 1) % 4]!, vertices / 4];
    return Array.from({ length: steps }, (_, n): Position => {
      const wave = Math.sin(n / 40) * 900;
      const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
      const isFlat = dy === 0;
      return [from[0] + (dx * n) / steps + (isFlat ? 0 : wave), from[1] + (dy * n) / steps + (isFlat ? wave : 0)];
    });
  });
  return Float64Array.from(ring.flat());
}

function somewhere(random: () => number): Position {
  const area = random() < SOUTH_SHARE ? SOUTH : NORTH;
  return [area.minX + random() * (area.maxX - area.minX), area.minY + random() * (area.maxY - area.minY)];
}

/** Values that the definition's answers know: codes where it lists codes, numbers and names else. */
function attributesOf(
  { fields, answers }: DataSetDefinition,
  { count }: FeatureWriter,
  random: () => number,
): Attribute[] {
  return Object.entries(fields).map(([name, { type }]) => {
    if (type !== 'string') return Math.floor(random() * 1000);
    const codes = answers.flatMap((answer) => codesOf(answer, name));
    return codes.length > 0 ? codes[Math.floor(random() * codes.length)]! : `${name} ${count}`;
  });
}

/** Codes of a field that the value of an answer needs. */
function codesOf(answer: AnswerDefinition, name: string): readonly string[] {
  switch (answer.kind) {
    case 'value':
      return answer.field === name ? Object.keys(answer.codes ?? {}) : [];
    case 'object':
      return Object.values(answer.members).flatMap(({ field, codes = {} }) =>
        field === name ? Object.keys(codes) : [],
      );
    case 'boolean':
    case 'proximity':
    case 'count':
      return [];
  }
}
