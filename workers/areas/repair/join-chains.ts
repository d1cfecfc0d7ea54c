/** Joins the chains of an outline to rings. */
import type { Chain } from './chains.ts';

/**
 * Returns rings that do not cross themselves or each other, with the area of the chains on their left. Where several rings meet, each goes on along the
 * area that it bounds, so parts that only touch get rings of their own. Returns the number of a place instead where chains do not fit together, because
 * they lie too near to each other to tell their sides.
 */
export function joinChains(chains: readonly Chain[]): number[][] | number {
  const rings = chains.filter(({ ends }) => ends === null).map(({ xy }) => xy.slice(0, -2));
  const nextOf = followersOf(chains);
  if (typeof nextOf === 'number') return nextOf;
  const left = new Set(nextOf.keys());
  for (const first of left) {
    const ring: number[] = [];
    let chain = first;
    do {
      left.delete(chain);
      for (let i = 0; i < chain.xy.length - 2; i++) ring.push(chain.xy[i]!);
      chain = nextOf.get(chain)!;
    } while (chain !== first);
    rings.push(ring);
  }
  return rings;
}

/** A chain at a place. */
interface Arm {
  readonly chain: Chain;
  /** It leads away from the place. */
  readonly isOut: boolean;
  readonly angle: number;
}

/** Returns for each chain the one that goes on where it ends: the next one clockwise. */
function followersOf(chains: readonly Chain[]): Map<Chain, Chain> | number {
  const followers = new Map<Chain, Chain>();
  for (const [place, arms] of armsByPlace(chains)) {
    arms.sort((a, b) => b.angle - a.angle);
    for (const [i, { chain, isOut }] of arms.entries()) {
      const next = arms[(i + 1) % arms.length]!;
      if (next.isOut === isOut) return place;
      if (!isOut) followers.set(chain, next.chain);
    }
  }
  return followers;
}

function armsByPlace(chains: readonly Chain[]): Map<number, Arm[]> {
  const byPlace = new Map<number, Arm[]>();
  for (const chain of chains) {
    chain.ends?.forEach(({ place, angle }, i) => {
      const arm = { chain, isOut: i === 0, angle };
      const arms = byPlace.get(place);
      if (arms) arms.push(arm);
      else byPlace.set(place, [arm]);
    });
  }
  return byPlace;
}
