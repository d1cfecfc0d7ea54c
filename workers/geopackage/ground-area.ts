/** Areas on the ellipsoid GRS 80, by the authalic latitude (Snyder, USGS PP 1395, formula 3-12). */

const SEMI_MAJOR_M = 6_378_137;
const FLATTENING = 1 / 298.257222101;
const E2 = FLATTENING * (2 - FLATTENING);
const E = Math.sqrt(E2);

/**
 * Returns the square metres in a ring of degrees, longitude first, without a repeated first vertex; positive for a counterclockwise ring. Its edges
 * must be short, because they count as straight in a projection that keeps areas: below 1 km that makes no difference.
 */
export function groundArea(degrees: ArrayLike<number>): number {
  // From the first vertex, so that a small ring costs no digits.
  const base = q(degrees[1]!);
  let sum = 0;
  let lastLon = degrees[degrees.length - 2]!;
  let last = q(degrees[degrees.length - 1]!) - base;
  for (let i = 0; i < degrees.length; i += 2) {
    const lon = degrees[i]!;
    const here = q(degrees[i + 1]!) - base;
    sum -= (lon - lastLon) * (last + here);
    lastLon = lon;
    last = here;
  }
  return (sum * (Math.PI / 180) * SEMI_MAJOR_M ** 2) / 4;
}

function q(latDegrees: number): number {
  const sine = Math.sin((latDegrees * Math.PI) / 180);
  return (1 - E2) * (sine / (1 - E2 * sine * sine) - Math.log((1 - E * sine) / (1 + E * sine)) / (2 * E));
}
