/** Decides in which area each part of a data set may say "no" (decision 0253). */
import { createHash } from 'node:crypto';
import { authorityAreas } from '../../../src/catalogue/catalogue.ts';
import type { AreaClaim } from '../../../src/messages/import.ts';
import type { DataSetRecord, NotedPart } from '../../../src/messages/manifest.ts';
import type { StoredGeometry } from '../../geopackage/gpkg-geometry.ts';
import { authorityArea, hasAuthorityAreas, type HeldArea, type Holder, isHeldBy } from './held-areas.ts';
import { type Reading, readLayerArea } from './coverage.ts';
import { areSame, contains, placeIn, polygonsOf, squareMetres, storedPolygons, unionOf } from './polygons.ts';
import type Gdal from 'gdal-async';
import { grouped } from '../../../src/words.ts';

export interface ClaimedAreas {
  /** In which the data set knows the answer. */
  readonly polygons: readonly StoredGeometry[];
  /** To store: the areas of the parts in use, and those of parts that were in use before. */
  readonly held: readonly HeldArea[];
  /** Parts that are left out, with the addresses of their layers. */
  readonly leftOut: readonly (NotedPart & { readonly address: string })[];
  readonly keptAreas: NonNullable<DataSetRecord['keptAreas']>;
  /** Changes with the areas and with what is said of them. */
  readonly version: string;
}

interface Standing {
  readonly held: readonly HeldArea[];
  /** Names of parts whose features stay as they are: so do their areas. */
  readonly keptParts: readonly string[];
}

/**
 * Compares the area that each part claims with the one that it holds. A part without any area is left out alone.
 * @throws Error when the areas of authorities were never imported, or a layer with an area cannot be read.
 */
export async function claimAreas(
  claims: readonly AreaClaim[],
  { held, keptParts }: Standing,
  reading: Reading,
): Promise<ClaimedAreas> {
  const decisions: Decision[] = [];
  for (const claim of claims) {
    const own = ownArea(claim, { held, claims });
    const shared = held.find((area) => area.holders.length > 1 && isHeldBy(area, claim)) ?? null;
    const others = held.filter((area) => area !== own);
    decisions.push({ claim, own, shared, ...decide(claim, await claimedNow(claim, reading), { own, shared, others }) });
  }
  checkOrder(decisions, reading);
  return summed(withWholeShares(decisions, keptParts), { held, keptParts });
}

interface Decision {
  readonly claim: AreaClaim;
  /** What the part held before. */
  readonly own: HeldArea | null;
  readonly shared: HeldArea | null;
  /** Null: the part is left out. Empty: it knows the answer in the area that it shares. */
  readonly polygons: readonly StoredGeometry[] | null;
  /** Why it is left out, or its area is that of the last import; null: its area is the one that it claims. */
  readonly reason: string | null;
  readonly isUnproved: boolean;
}

/** Returns the area that a part holds alone: by its name, or else by the address of its layer, because parts are renamed, too. */
function ownArea(
  { part, address }: AreaClaim,
  { held, claims }: { readonly held: readonly HeldArea[]; readonly claims: readonly AreaClaim[] },
): HeldArea | null {
  const alone = held.filter(({ holders }) => holders.length === 1);
  const named = alone.find(({ holders }) => holders[0]!.part === part);
  const isFree = ({ holders }: HeldArea): boolean => !claims.some((claim) => claim.part === holders[0]!.part);
  return named ?? alone.find((area) => area.holders[0]!.address === address && isFree(area)) ?? null;
}

/** Returns the area at the place that the definition names; null when there is none any more. */
async function claimedNow(
  { authority, layer }: AreaClaim,
  reading: Reading,
): Promise<readonly StoredGeometry[] | null> {
  if (layer !== null) return readLayerArea(layer, reading);
  const polygons = authorityArea(reading.db, authority!);
  return polygons.length === 0 ? null : polygons;
}

function decide(
  claim: AreaClaim,
  now: readonly StoredGeometry[] | null,
  { own, shared, others }: { own: HeldArea | null; shared: HeldArea | null; others: readonly HeldArea[] },
): Omit<Decision, 'claim' | 'own' | 'shared'> {
  // What belongs to which part is not known here, so that no area can be compared with it.
  if (own === null && shared !== null)
    return {
      polygons: [],
      reason: 'its area, together with that of other parts, is that of an earlier import',
      isUnproved: false,
    };
  if (now === null) return withoutArea(claim, own);
  if (own !== null && areSame(own.polygons, now)) return { polygons: now, reason: null, isUnproved: false };
  const { polygons, unproved } = proveGrowth(now, { own: own?.polygons ?? null, others, inside: claim.inside });
  if (unproved === null) return { polygons, reason: null, isUnproved: false };
  const isLeftOut = polygons.length === 0;
  const result = isLeftOut ? 'so its area is not known' : 'so its area does not grow';
  return {
    polygons: isLeftOut ? null : polygons,
    reason: `${areaName(claim)} ${unproved}, ${result}`,
    isUnproved: true,
  };
}

function withoutArea(claim: AreaClaim, own: HeldArea | null): ReturnType<typeof decide> {
  const gone = `the data set ${authorityAreas} has no area of "${claim.authority}"`;
  if (own === null) return { polygons: null, reason: `${gone}, nor has an earlier import`, isUnproved: false };
  return { polygons: own.polygons, reason: `${gone} any more: its area is that of the last import`, isUnproved: false };
}

function areaName({ authority, layer }: AreaClaim): string {
  return authority === null ? `the area in ${layer!.name}` : `the area of "${authority}" in ${authorityAreas}`;
}

/** @throws Error when parts lack their areas because nobody has imported those of the authorities: that is no fault of a part. */
function checkOrder(decisions: readonly Decision[], { db }: Reading): void {
  const first = decisions.find(({ polygons, claim }) => polygons === null && claim.authority !== null);
  if (first === undefined || hasAuthorityAreas(db)) return;
  throw new Error(
    `its coverage is the area of "${first.claim.authority}", which the data set ${authorityAreas} does not contain: ` +
      `import ${authorityAreas} first`,
  );
}

/** Leaves out parts that share an area with one that is not in use: nobody can tell what is theirs. */
function withWholeShares(decisions: readonly Decision[], keptParts: readonly string[]): readonly Decision[] {
  const inUse = decisions.filter(({ polygons }) => polygons !== null).map(({ claim }) => claim);
  return decisions.map((decision) => {
    const { own, shared } = decision;
    const isInUse = (holder: Holder) => keptParts.includes(holder.part) || inUse.some((claim) => isSame(claim, holder));
    const missing = own === null && shared?.holders.find((holder) => !isInUse(holder));
    if (!missing) return decision;
    const reason = `it shares its area with "${missing.part}", which is not in use`;
    return { ...decision, polygons: null, reason, isUnproved: false };
  });
}

function isSame(claim: AreaClaim, { part, address }: Holder): boolean {
  return claim.part === part || claim.address === address;
}

function summed(decisions: readonly Decision[], { held: before, keptParts }: Standing): ClaimedAreas {
  const used = decisions.filter(({ polygons }) => polygons !== null);
  const shares = new Set(used.flatMap(({ own, shared }) => (own === null && shared !== null ? [shared] : [])));
  const isKept = ({ holders }: HeldArea) => holders.length === 1 && keptParts.includes(holders[0]!.part);
  const asBefore = [...shares, ...before.filter(isKept)];
  const polygons = [...used.flatMap((one) => one.polygons!), ...asBefore.flatMap((one) => one.polygons)];
  const grown = used.filter((one) => one.polygons!.length > 0);
  const held = [
    ...before.filter((area) => !grown.some(({ own }) => own === area)),
    ...grown.map(({ claim: { part, address }, polygons: area }): HeldArea => ({
      holders: [{ part, address }],
      polygons: area!,
    })),
  ];
  const noted = (list: readonly Decision[]) =>
    list.flatMap(({ claim: { part, address }, reason, isUnproved }) =>
      reason === null ? [] : [{ part, address, reason, isUnproved }],
    );
  const leftOut = noted(decisions.filter((one) => one.polygons === null));
  const keptAreas = noted(used);
  return {
    polygons,
    held,
    leftOut: leftOut.map(({ part, address, reason }) => ({ part, address, reason })),
    keptAreas: keptAreas.map(({ part, reason, isUnproved }) => ({ part, reason, isUnproved })),
    version: versionOf(polygons, [...leftOut, ...keptAreas]),
  };
}

function versionOf(polygons: readonly StoredGeometry[], notes: readonly object[]): string {
  const hash = createHash('sha256').update(JSON.stringify(notes));
  for (const { blob } of polygons) hash.update(blob).update('\0');
  return hash.digest('hex');
}

/** Largest growth without proof, as a share of the area before: borders are drawn anew, and a stream on the border is in both areas. */
const MOST_GROWTH = 0.01;

interface Known {
  /** The area that the part holds; null for a part that holds none. */
  readonly own: readonly StoredGeometry[] | null;
  /** Areas that other parts of the data set hold, or held before. */
  readonly others: readonly HeldArea[];
  /** Places inside the part's features, longitude first, at which its service has answered so. */
  readonly inside: readonly (readonly [lon: number, lat: number])[];
}

/**
 * Says how much of the area that a part claims is proved. Land that it did not hold is, where a place that is known to be inside its features lies
 * in the same piece of it: only such a place shows that the service maps this land, because a service that does not finds nothing there,
 * either. What other parts hold is a piece by itself, and needs a place of its own. Without proof the area is what the part held
 * before and still claims.
 */
function proveGrowth(
  now: readonly StoredGeometry[],
  { own, others, inside }: Known,
): {
  /** The area in which the part may say "no". */
  readonly polygons: readonly StoredGeometry[];
  /** How much of what it claims is not proved, as the end of a sentence; null when all is. */
  readonly unproved: string | null;
} {
  const claimed = unionOf(now);
  const before = own === null ? null : unionOf(own);
  const added = before === null ? claimed : claimed.difference(before);
  const baseM2 = squareMetres(before ?? claimed);
  if (before !== null && squareMetres(added) <= MOST_GROWTH * baseM2) return { polygons: now, unproved: null };
  const pieces = piecesOf(added, others, before !== null);
  const unproved = pieces.filter((piece) => !inside.some((place) => contains(piece, place)));
  const unprovedM2 = unproved.reduce((sum, piece) => sum + squareMetres(piece), 0);
  if (unprovedM2 <= MOST_GROWTH * baseM2) return { polygons: now, unproved: null };
  return {
    polygons: before === null ? [] : storedPolygons(claimed.intersection(before)),
    unproved: describe(unproved, { unprovedM2, beforeM2: before === null ? null : baseM2 }),
  };
}

/**
 * Splits land by who held it. The first area of a part may lie in several pieces, such as islands, of which one place is enough; of an area that grows,
 * each piece that stands alone is new.
 */
function piecesOf(added: Gdal.Geometry, others: readonly HeldArea[], isGrowth: boolean): readonly Gdal.Geometry[] {
  const pieces: Gdal.Geometry[] = [];
  let rest = added;
  for (const { polygons } of others) {
    const other = unionOf(polygons);
    pieces.push(rest.intersection(other));
    rest = rest.difference(other);
  }
  return [...pieces, rest].flatMap((piece) => (isGrowth ? polygonsOf(piece) : [piece]));
}

function describe(
  unproved: readonly Gdal.Geometry[],
  { unprovedM2, beforeM2 }: { readonly unprovedM2: number; readonly beforeM2: number | null },
): string {
  const largest = unproved.flatMap(polygonsOf).reduce((best, one) => (one.getArea() > best.getArea() ? one : best));
  const size = `${grouped(Math.round(unprovedM2 / 1e6))} km²`;
  const what = beforeM2 === null ? `has ${size}` : `is ${size} (${percent(unprovedM2 / beforeM2)}) larger than before,`;
  return `${what} in which no control point is inside the features, such as around ${placeIn(largest)}`;
}

function percent(share: number): string {
  return `${grouped(Math.max(1, Math.round(share * 100)))} %`;
}
