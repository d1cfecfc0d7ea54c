/** The outline tree against GDAL: what lies in a circle, from features cut to rows and put together again. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type Gdal from 'gdal-async';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import type { Snapshot } from '../../../workers/geopackage/snapshot.ts';
import type { CellIndex } from '../../../workers/engine/cells/open.ts';
import { Disc, QUARTER_SEGMENTS } from '../../../workers/maps/disc.ts';
import { GeometryWriter } from '../../../workers/maps/outline-geometry.ts';
import type { Outlines, NearOutline } from '../../../workers/maps/outline-index.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { openBuiltOutlines, openWithCells, writeSnapshot } from '../../support/material/hand-made-snapshot.ts';
import { inputs } from '../../support/drivers/inputs.ts';
import { programFile } from '../../support/drivers/program.ts';
import { areSameLines, haveSameVertices, type Shape } from '../../lookup/same-vertices.ts';

/** Beside the corner of four tiles, so that features lie in several. */
const [X, Y] = [1_376_256 - 3000, 11_927_680 - 3000];
const SIZE_M = 6000;
const RADIUS_M = 1000;
const PLACES = inputs(60);
/** Of a vertex, and a little where the circle cuts an edge at a sharp angle. */
const ROUNDING_M = 0.02;
const MOST_DIFFERENT_M = 0.5;
/** Of what a map leaves for a full collection. */
const MOST_KEPT_BYTES = 4096;

const random = seededRandom(20261122);
const wave = (x: number, y: number, radius: number, count: number): string => {
  const corners = Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    const r = radius * (0.7 + 0.3 * Math.sin(angle * 9) + 0.05 * random());
    return `${(x + r * Math.cos(angle)).toFixed(3)} ${(y + r * Math.sin(angle)).toFixed(3)}`;
  });
  return `(${[...corners, corners[0]].join(',')})`;
};
const somewhere = (): number => Math.round(random() * SIZE_M * 100) / 100;

const features: Readonly<Record<string, readonly string[]>> = {
  wide: [
    `POLYGON((${X - 9000} ${Y - 9000},${X + 15_000} ${Y - 9000},${X + 15_000} ${Y + 15_000},${X - 9000} ${Y + 15_000},${X - 9000} ${Y - 9000}))`,
  ],
  big: [
    `POLYGON(${wave(X + 3000, Y + 3000, 2500, 4000)},${wave(X + 3000, Y + 3000, 400, 300)},${wave(X + 2000, Y + 3000, 90, 20)})`,
    `MULTIPOLYGON((${wave(X + 1000, Y + 1000, 900, 500)}),(${wave(X + 5000, Y + 1000, 900, 500)},${wave(X + 5000, Y + 1000, 100, 20)}))`,
  ],
  small: Array.from(
    { length: 300 },
    () => `POLYGON(${wave(X + somewhere(), Y + somewhere(), 40 + 60 * random(), 24)})`,
  ),
  squares: Array.from({ length: 64 }, (_, i) => {
    const [x, y] = [X + (i % 8) * 750, Y + Math.floor(i / 8) * 750];
    return `POLYGON((${x} ${y},${x + 750} ${y},${x + 750} ${y + 750},${x} ${y + 750},${x} ${y}))`;
  }),
  lines: [
    `LINESTRING(${X - 50_000} ${Y - 40_000},${X + 70_000} ${Y + 60_000})`,
    ...Array.from(
      { length: 60 },
      () => `LINESTRING(${Array.from({ length: 30 }, () => `${X + somewhere()} ${Y + somewhere()}`).join(',')})`,
    ),
  ],
  points: [
    `MULTIPOINT(${Array.from({ length: 400 }, () => `${X + somewhere()} ${Y + somewhere()}`).join(',')})`,
    ...Array.from({ length: 200 }, () => `POINT(${X + somewhere()} ${Y + somewhere()})`),
  ],
};

const dataSets = Object.keys(features).map((id) => ({
  ...{ id, reachM: 0, nearestOnly: false, fields: [], inline: true },
  outlined: { choices: [{}], labelField: null },
}));

describe('outlines', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let snapshot: Snapshot;
  let cells: CellIndex;
  let outlines: Outlines;

  before(async () => {
    writeSnapshot(
      folder.path,
      Object.fromEntries(
        Object.entries(features).map(([id, wkt]) => [id, { features: wkt.map((text) => ({ wkt: text })) }]),
      ),
    );
    ({ snapshot, cells } = await openWithCells(folder.path, dataSets));
    outlines = openBuiltOutlines({ snapshot, cells }, dataSets)!;
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  it('leave nothing that only a full collection frees, which would stop the thread', () => {
    // In a process of its own: after many maps V8 puts what it makes into the old generation at once, whatever becomes of it.
    const script = programFile('../../support/drivers/map-garbage-process', import.meta.url);
    const place = JSON.stringify({ x: X, y: Y + 3000, radiusM: RADIUS_M });
    const args = ['--expose-gc', script, folder.path, JSON.stringify(dataSets), place];
    // On a busy machine V8 sometimes does so in a new process, too: what leaves garbage does in each.
    let kept = Infinity;
    for (let round = 0; round < 3 && kept >= MOST_KEPT_BYTES; round++) {
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(stderr).to.equal('');
      expect(stdout).to.not.equal('');
      kept = Number(stdout);
    }
    expect(kept).to.be.below(MOST_KEPT_BYTES);
  });

  it('are found like the features of the tables, with their distances, and have their shape inside the circle', () => {
    const near = seededRandom(7);
    let shapes = 0;
    for (let i = 0; i < PLACES; i++) {
      // Some places lie exactly on the corners of squares.
      const [x, y] = i % 5 === 0 ? [X + 750 * (i % 8), Y + 750 * 3] : [X + near() * SIZE_M, Y + near() * SIZE_M];
      const at = { x, y, scale: 1 };
      const found = new Map(outlines.near(at, RADIUS_M, () => true).map((one) => [keyOf(one.set, one.fid), one]));
      const circle = new gdal.Point(x, y).buffer(RADIUS_M, QUARTER_SEGMENTS);
      for (const { set, fid, geometry } of featuresNear(x, y)) {
        const distanceM = geometry.distance(new gdal.Point(x, y));
        const outline = found.get(keyOf(set, fid));
        if (distanceM > RADIUS_M - ROUNDING_M) continue;
        expect(outline?.distance, `${set} ${fid} at ${x}, ${y}`).to.be.closeTo(distanceM * 100, ROUNDING_M * 100);
        expectSameShape(outline!, { x, y, whole: geometry, circle });
        found.delete(keyOf(set, fid));
        shapes++;
      }
      const rest = [...found.values()].filter(({ distance }) => distance < (RADIUS_M - ROUNDING_M) * 100);
      expect(rest, 'what the tables do not have').to.deep.equal([]);
    }
    expect(shapes).to.be.above(16 * PLACES);
  });

  it('are not used for definitions that show other features', () => {
    const other = {
      reachM: 0,
      nearestOnly: false,
      fields: [],
      inline: true,
      outlined: { choices: [], labelField: null },
    };
    expect(openBuiltOutlines({ snapshot, cells }, [{ id: 'wide', ...other }])).to.equal(null);
  });

  function* featuresNear(x: number, y: number): Generator<{ set: number; fid: number; geometry: Gdal.Geometry }> {
    for (const [set, id] of Object.keys(features).entries()) {
      const layer = snapshot.layer(id);
      layer.setSpatialFilter(x - RADIUS_M, y - RADIUS_M, x + RADIUS_M, y + RADIUS_M);
      for (const feature of layer.features.map((one) => one)) {
        const geometry = feature.getGeometry()!;
        if (geometry.distance(new gdal.Point(x, y)) < RADIUS_M) yield { set, fid: feature.fid, geometry };
      }
    }
  }
});

function keyOf(set: number, fid: number): string {
  return `${set} ${fid}`;
}

/** Their edges lie within the rounding of each other, and they have the same area. */
function expectSameShape(
  outline: NearOutline,
  { x, y, whole, circle }: { x: number; y: number; whole: Gdal.Geometry; circle: Gdal.Geometry },
): void {
  const at = (east: number, north: number): string => `[${x + east / 100},${y + north / 100}]`;
  const coordinates = {
    position: at,
    positions: (xy: readonly number[]) =>
      `[${Array.from({ length: xy.length / 2 }, (_, i) => at(xy[2 * i]!, xy[2 * i + 1]!)).join(',')}]`,
  };
  const written = new GeometryWriter({ disc: new Disc(RADIUS_M * 100), tolerance: 0, coordinates }).write(outline);
  const expected = inDimensionOf(whole, whole.intersection(circle));
  if (!expected) return;
  expect(written, whole.toWKT().slice(0, 100)).not.to.equal(null);
  const json = JSON.parse(written!.json) as Shape;
  const shape = expected.toObject() as Shape;
  if (haveSameVertices(json, shape, ROUNDING_M)) return;
  // GDAL divides lines where they cross themselves.
  if (areSameLines(shape, json, ROUNDING_M, MOST_DIFFERENT_M / 2)) return;
  const own = gdal.Geometry.fromGeoJson(json);
  const [a, b] = whole.dimension === 2 ? [expected.boundary(), own.boundary()] : [expected, own];
  const where = `${outline.set} ${outline.fid} at ${x}, ${y}`;
  expect(lengthOf(a.difference(b.buffer(ROUNDING_M, 4))), where).to.be.below(MOST_DIFFERENT_M);
  expect(lengthOf(b.difference(a.buffer(ROUNDING_M, 4))), where).to.be.below(MOST_DIFFERENT_M);
  if (whole.dimension === 2) expect(areaOf(own)).to.be.closeTo(areaOf(expected), ROUNDING_M * lengthOf(a) + 0.1);
}

/** Where a polygon only touches the circle, clipping also returns points and lines. */
function inDimensionOf(whole: Gdal.Geometry, part: Gdal.Geometry): Gdal.Geometry | null {
  if (part.isEmpty()) return null;
  if (part.dimension !== whole.dimension) return null;
  if (!(part instanceof gdal.GeometryCollection) || part.wkbType !== gdal.wkbGeometryCollection) return part;
  const parts = partsOf(part).filter((one) => one.dimension === whole.dimension);
  return parts.reduce((all, one) => all.union(one));
}

function lengthOf(geometry: Gdal.Geometry): number {
  if (geometry.isEmpty()) return 0;
  if (geometry instanceof gdal.GeometryCollection) {
    return partsOf(geometry).reduce((sum, one) => sum + lengthOf(one), 0);
  }
  // A point that differs is a whole difference.
  return geometry instanceof gdal.LineString ? geometry.getLength() : MOST_DIFFERENT_M;
}

function partsOf({ children }: Gdal.GeometryCollection): Gdal.Geometry[] {
  return Array.from({ length: children.count() }, (_, i) => children.get(i));
}

function areaOf(geometry: Gdal.Geometry): number {
  if (geometry instanceof gdal.Polygon || geometry instanceof gdal.MultiPolygon) return geometry.getArea();
  throw new Error(`${geometry.name} has no area`);
}
