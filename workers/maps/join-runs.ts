import type { Run } from './read-outlines.ts';

/** A part of a ring or path without gaps near the place; closed for a whole ring, which ends with its first vertex again. */
export interface Path {
  readonly xy: Float64Array;
  readonly isClosed: boolean;
}

/**
 * Puts the runs of one feature from several rows together. Rows next to each other both hold the segments that cross from one to the other, so runs
 * of a part that overlap or touch continue each other.
 */
export function joinRuns(runs: readonly Omit<Run, 'box'>[], isRing: boolean): Path[] {
  const ordered = runs.length === 1 ? runs : [...runs].sort((a, b) => a.part - b.part || a.start - b.start);
  const paths: Path[] = [];
  for (let from = 0; from < ordered.length;) {
    const { part } = ordered[from]!;
    let to = from + 1;
    while (to < ordered.length && ordered[to]!.part === part) to++;
    paths.push(...joinPart(ordered.slice(from, to), isRing));
    from = to;
  }
  return paths;
}

interface Joined {
  readonly start: number;
  readonly pieces: Float64Array[];
  /** Vertices from the beginning of the part. */
  end: number;
  isLast: boolean;
}

function joinPart(runs: readonly Omit<Run, 'box'>[], isRing: boolean): Path[] {
  const joined: Joined[] = [];
  for (const { start, xy, isLast } of runs) {
    const end = start + xy.length / 2;
    const open = joined.at(-1);
    if (open && start < open.end) {
      if (end <= open.end) continue;
      open.pieces.push(xy.subarray((open.end - start) * 2));
      Object.assign(open, { end, isLast });
    } else joined.push({ start, pieces: [xy], end, isLast });
  }
  if (!isRing) return joined.map(({ pieces }) => ({ xy: concatenate(pieces), isClosed: false }));
  const [first, last] = [joined[0]!, joined.at(-1)!];
  if (first.start === 0 && last.isLast && first !== last) {
    // The ring begins and ends near the place, and both are the same vertex.
    joined.shift();
    last.pieces.push(first.pieces[0]!.subarray(2), ...first.pieces.slice(1));
  }
  return joined.map((one) => ({ xy: concatenate(one.pieces), isClosed: one.start === 0 && one.isLast }));
}

function concatenate(pieces: readonly Float64Array[]): Float64Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Float64Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
