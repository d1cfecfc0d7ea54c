/** Cuts the rings of an area where their edges meet. */
import type { Edges, Meetings } from './meetings.ts';

/** A run of edges of one ring that others meet at its ends only, or a whole ring. */
export interface Chain {
  readonly ring: number;
  /** Null for a ring that nothing meets. */
  readonly ends: readonly [from: ChainEnd, to: ChainEnd] | null;
  /** Positions, both ends included. */
  readonly xy: readonly number[];
  /** The longest part of it along an edge, where it is easiest to tell its sides. */
  readonly longest: {
    readonly edge: number;
    readonly ax: number;
    readonly ay: number;
    readonly bx: number;
    readonly by: number;
  };
}

interface ChainEnd {
  /** The number of the place. */
  readonly place: number;
  /** The direction in which the chain leaves the place: that of the whole edge, because positions of places are rounded. */
  readonly angle: number;
}

export function chainsOf(edges: Edges, meetings: Meetings): Chain[] {
  return edges.starts.slice(1).flatMap((end, ring) => {
    const steps = stepsOf(edges, meetings, edges.starts[ring]!, end);
    if (steps.length === 0) return [];
    const first = steps.findIndex(({ place }) => place !== null);
    if (first < 0) return [chainOf(edges, ring, [...steps, steps[0]!])];
    return cut([...steps.slice(first), ...steps.slice(0, first + 1)]).map((run) => chainOf(edges, ring, run));
  });
}

/** A position of a ring, and the edge from there. */
interface Step {
  readonly x: number;
  readonly y: number;
  readonly edge: number;
  /** Its number, if edges meet there. */
  readonly place: number | null;
}

/** The vertices of a ring, and the places on its edges between them. */
function stepsOf({ ax, ay, bx, by }: Edges, { places, onEdge }: Meetings, from: number, end: number): Step[] {
  const steps: Step[] = [];
  for (let edge = from; edge < end; edge++) {
    const [x, y] = [ax[edge]!, ay[edge]!];
    const start = places.find(x, y);
    steps.push({ x, y, edge, place: start });
    const met = onEdge.get(edge);
    if (!met) continue;
    const between = new Set(met);
    for (const place of [start, places.find(bx[edge]!, by[edge]!)]) if (place !== null) between.delete(place);
    const way = (place: number): number => Math.abs(places.x[place]! - x) + Math.abs(places.y[place]! - y);
    for (const place of [...between].sort((a, b) => way(a) - way(b))) {
      steps.push({ x: places.x[place]!, y: places.y[place]!, edge, place });
    }
  }
  return steps;
}

/** Cuts steps at each place; the first and the last step are at one. */
function cut(steps: readonly Step[]): Step[][] {
  const runs: Step[][] = [];
  for (const [i, step] of steps.entries()) {
    if (i > 0) runs.at(-1)!.push(step);
    if (step.place !== null && i + 1 < steps.length) runs.push([step]);
  }
  return runs;
}

function chainOf(edges: Edges, ring: number, steps: readonly Step[]): Chain {
  let longest: Chain['longest'] = { edge: 0, ax: 0, ay: 0, bx: 0, by: 0 };
  let most = -1;
  for (let i = 0; i + 1 < steps.length; i++) {
    const [{ x: ax, y: ay, edge }, { x: bx, y: by }] = [steps[i]!, steps[i + 1]!];
    const length = Math.abs(bx - ax) + Math.abs(by - ay);
    if (length > most) [most, longest] = [length, { edge, ax, ay, bx, by }];
  }
  return { ring, ends: endsOf(edges, steps), xy: steps.flatMap(({ x, y }) => [x, y]), longest };
}

function endsOf({ ax, ay, bx, by }: Edges, steps: readonly Step[]): Chain['ends'] {
  const [first, last, { edge }] = [steps[0]!, steps.at(-1)!, steps.at(-2)!];
  if (first.place === null || last.place === null) return null;
  const onwards = Math.atan2(by[first.edge]! - ay[first.edge]!, bx[first.edge]! - ax[first.edge]!);
  const backwards = Math.atan2(ay[edge]! - by[edge]!, ax[edge]! - bx[edge]!);
  return [
    { place: first.place, angle: onwards },
    { place: last.place, angle: backwards },
  ];
}
