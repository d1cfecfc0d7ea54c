import { boundsOfAll, type Box } from '../geometry/box.ts';
import type { Part } from '../geometry/ring.ts';
import { areaIn, halvesOf, segmentsOf, surround, type Segments } from './segments.ts';

/** What an area has in a box. Each half is cut once, for all data sets and limits that ask for it. */
export class AreaInBox {
  readonly box: Box;
  /** Of rings that do not overlap; holes run against outer rings. */
  readonly segments: Segments;
  #halves: readonly [AreaInBox, AreaInBox] | undefined;
  #area: number | undefined;
  #isAll: boolean | undefined;

  constructor(box: Box, segments: Segments) {
    this.box = box;
    this.segments = segments;
  }

  static of(rings: readonly Part[]): AreaInBox {
    return new AreaInBox(boundsOfAll(rings), segmentsOf(rings));
  }

  get area(): number {
    return (this.#area ??= areaIn(this.segments));
  }

  /** Says whether it is all of the box; no in doubt. */
  get isAll(): boolean {
    return (this.#isAll ??= surround(this.segments, this.box));
  }

  /** The line that halves the box across its longer side. */
  get middle(): Parameters<typeof halvesOf>[1] {
    const { minX, minY, maxX, maxY } = this.box;
    return maxX - minX > maxY - minY
      ? { axis: 'x', limit: (minX + maxX) / 2 }
      : { axis: 'y', limit: (minY + maxY) / 2 };
  }

  /** On the lower side of the middle, and on the upper one. */
  get halves(): readonly [AreaInBox, AreaInBox] {
    return (this.#halves ??= this.#cut());
  }

  #cut(): readonly [AreaInBox, AreaInBox] {
    const [first, second] = halfBoxes(this.box);
    const [lower, upper] = halvesOf(this.segments, this.middle);
    return [new AreaInBox(first, lower), new AreaInBox(second, upper)];
  }
}

function halfBoxes({ minX, minY, maxX, maxY }: Box): readonly [Box, Box] {
  const [x, y] = [(minX + maxX) / 2, (minY + maxY) / 2];
  return maxX - minX > maxY - minY
    ? [
        { minX, minY, maxX: x, maxY },
        { minX: x, minY, maxX, maxY },
      ]
    : [
        { minX, minY, maxX, maxY: y },
        { minX, minY: y, maxX, maxY },
      ];
}
