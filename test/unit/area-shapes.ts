/** Rings that are hard to lay over each other. */
type Random = () => number;

/** A star-shaped ring, counterclockwise. */
export function star(random: Random, reach = 1000, vertices = 3 + Math.floor(random() * 30)): number[] {
  const [cx, cy, radius] = [random() * reach, random() * reach, reach * (0.1 + 0.5 * random())];
  return Array.from({ length: vertices }, (_, i) => {
    const [angle, r] = [(i / vertices) * 2 * Math.PI, radius * (0.3 + 0.7 * random())];
    return [cx + r * Math.cos(angle), cy + r * Math.sin(angle)];
  }).flat();
}

/** A band that winds around a place, with about 800 vertices. */
export function spiral(random: Random, turns = 3 + Math.floor(10 * random())): number[] {
  const [cx, cy] = [1000 * random(), 1000 * random()];
  const arm = (shift: number): number[][] =>
    Array.from({ length: 400 }, (_, i) => {
      const [angle, radius] = [(i / 400) * turns * 2 * Math.PI, 20 + 60 * ((i / 400) * turns + shift)];
      return [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
    });
  return [...arm(0), ...arm(0.5).toReversed()].flat();
}

/** Long teeth close to each other, at any angle. */
export function comb(random: Random, teeth = 100): number[] {
  const angle = random() * 7;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const ring = Array.from({ length: teeth }, (_, i) => [
    ...[
      [(1000 * i) / teeth, 10],
      [(1000 * i) / teeth, 900],
    ],
    ...[
      [(1000 * (i + 0.6)) / teeth, 900],
      [(1000 * (i + 0.6)) / teeth, 10],
    ],
  ]).flat();
  return [...ring, [1000, 0], [0, 0]].flatMap(([x, y]) => [x! * cos - y! * sin, x! * sin + y! * cos]);
}
