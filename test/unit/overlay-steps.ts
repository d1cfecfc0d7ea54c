/** Counts the steps of overlays, and prints them. */
import { stepsOf } from '../support/drivers/steps.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { boundsOfAll, type Box } from '../../workers/geometry/box.ts';
import { partOf, type Part } from '../../workers/geometry/ring.ts';
import { AreaInBox } from '../../workers/areas/area-in-box.ts';
import { eachBeyond } from '../../workers/areas/beyond.ts';
import { areaWithin, overlay } from '../../workers/areas/overlay.ts';
import { sitesNear } from '../../workers/areas/separation.ts';
import { comb, spiral, star } from './area-shapes.ts';

export interface OverlaySteps {
  /** A lake over a comb of 500 teeth. */
  readonly few: number;
  /** The same lake over the comb with eight times as many. */
  readonly many: number;
  /** Twenty lakes over one spiral. */
  readonly shared: number;
  /** The same lakes, each over the spiral as if it were another one. */
  readonly anew: number;
}

const parts = (xy: readonly number[]): Part[] => [partOf(xy)];

const combOf = (teeth: number): Part[] => parts(comb(seededRandom(22), teeth));

function middleOf({ minX, minY, maxX, maxY }: Box): readonly [number, number] {
  return [(minX + maxX) / 2, (minY + maxY) / 2];
}

/**
 * In the middle of the comb. Of a lake beside it, nothing is measured: the time is that of making arrays, and eight times as many edges take 20 to 50
 * times as long (0.1 and 2 to 6 ms).
 */
function lakeOverComb(): Part[] {
  const lake = star(seededRandom(23), 1000, 300);
  const [to, from] = [middleOf(boundsOfAll(combOf(500))), middleOf(boundsOfAll(parts(lake)))];
  return parts(lake.map((value, i) => value + to[i % 2]! - from[i % 2]!));
}

function overlayOver(teeth: number): number {
  const [area, lake] = [combOf(teeth), lakeOverComb()];
  let covered = 0;
  const steps = stepsOf(() => (covered = overlay(AreaInBox.of(area), [lake])[0]!));
  if (covered === 0) throw new Error('the lake is not over the comb');
  return steps;
}

function lakesOver(areaFor: () => AreaInBox, lakes: readonly Part[][]): number {
  return stepsOf(() => {
    for (const lake of lakes) {
      const area = areaFor();
      overlay(area, [lake]);
      const sites = sitesNear(boundsOfAll(lake), [{ feature: { kind: 'polygon', parts: lake }, limit: 30 }]);
      const emit = (part: AreaInBox | null, convex: Parameters<typeof areaWithin>[1]): void =>
        void areaWithin(part, convex, []);
      eachBeyond(area, { sites, tolerance: 2, isCovered: () => false, emit });
    }
  });
}

const random = seededRandom(24);
const shape = parts(spiral(random, 60));
const lakes = Array.from({ length: 20 }, () => parts(star(random, 1000, 300)));
const one = AreaInBox.of(shape);
const steps: OverlaySteps = {
  few: overlayOver(500),
  many: overlayOver(4000),
  shared: lakesOver(() => one, lakes),
  anew: lakesOver(() => AreaInBox.of(shape), lakes),
};
process.stdout.write(JSON.stringify(steps));
