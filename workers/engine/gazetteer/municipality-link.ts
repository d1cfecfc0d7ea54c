import { fault } from '../../../src/addresses/faults.ts';
import { isOfCode, isRural } from '../../../src/addresses/postal-code.ts';
import type { Reading } from '../../../src/addresses/reading.ts';
import type { Fault } from '../../../src/messages/wire/geocode.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';

/** Evidence that connects a candidate with the municipality in the address. */
export interface MunicipalityLink {
  /** Returns the census subdivisions in which to search for a street. */
  csds(reading: Reading, postalCode: string | null, store: GazetteerStore): readonly number[];
  /** Returns the faults of a street as one of the named municipality; null when nothing connects them. */
  ofStreet(reading: Reading, street: Street, store: GazetteerStore): Fault[] | null;
  /** Returns the faults of a point; null when nothing connects it. */
  ofPoint(
    reading: Reading,
    place: {
      readonly street: Street;
      readonly point: Coordinate & { readonly postalCode: string | null };
      /** As asked. */
      readonly postalCode: string | null;
    },
    store: GazetteerStore,
  ): Fault[] | null;
}

/**
 * Evidence by name: the register's mailing name of the street, its census subdivision, or a former municipality in it
 * has the name.
 */
export const byName: MunicipalityLink = {
  csds: ({ municipalities: [name = ''] }, _, store) => [...new Set(store.municipality(name).map(({ csd }) => csd))],
  ofStreet: ({ municipalities, divisions }, street, store) =>
    isInside(divisions, street, store) ? nameFaults(municipalities, street, store) : null,
  ofPoint: () => [],
};

/** Says whether a street lies in every county that the address names. */
function isInside(divisions: Reading['divisions'], { csd }: Street, store: GazetteerStore): boolean {
  return divisions.every((codes) => codes.includes(store.divisionOf(csd)));
}

/** Several names describe one place: a street must fit them all, and the one next to the street decides the price. */
function nameFaults(names: readonly string[], street: Street, store: GazetteerStore): Fault[] | null {
  const [first, ...others] = names.map((name) => faultsOfName(name, street, store));
  if (first === undefined || first === null || others.includes(null)) return null;
  return first;
}

function faultsOfName(name: string, street: Street, store: GazetteerStore): Fault[] | null {
  const targets = store.municipality(name).filter(({ csd }) => csd === street.csd);
  if (targets.some(({ mail }) => mail === street.mail)) return [];
  const whole = targets.find(({ mail }) => mail === null);
  if (!whole) return null;
  return [fault(whole.curated ? 'MUNICIPALITY_FORMER' : 'MUNICIPALITY_TODAY', mailedTo(street, store))];
}

function mailedTo(street: Street, store: GazetteerStore): string {
  return `the register mails the street to ${store.mails[street.mail] ?? ''}`;
}

/**
 * Evidence by neighbourhood: the register has addresses with this mailing name in the same census subdivision and
 * within some kilometres of the point. The borders of former municipalities are not marked on the ground, and
 * publishers disagree about them. A street that only another part of the city has may be another one than was meant: then the whole
 * city's name or the postal area must speak for it (on the extract, 951 of 951 addresses under a part's and the city's name are one place;
 * under the names of two parts it has 20, too few to say).
 */
export const byNeighbourhood: MunicipalityLink = {
  csds: ({ municipalities: [name = ''] }, _, store) => [
    ...new Set(store.municipality(name).flatMap(({ csd, mail }) => (mail === null ? [] : [csd]))),
  ],
  ofStreet: ({ divisions, municipalities: [, ...others] }, street, store) =>
    isInside(divisions, street, store) && others.every((name) => faultsOfName(name, street, store)) ? [] : null,
  ofPoint: ({ municipalities: [name = ''] }, { street, point, postalCode }, store) => {
    const parts = store.municipality(name).filter(({ csd, mail }) => csd === street.csd && mail !== null);
    const near = parts.filter(({ mail }) => store.isMailedNear(mail!, point));
    if (near.length === 0) return null;
    const isKnown = isOfArea(point.postalCode, postalCode) || isMailedToCity(street, store);
    return isKnown || near.some(({ mail }) => hasStreet(mail!, street, store))
      ? [fault('MUNICIPALITY_NEARBY', mailedTo(street, store))]
      : null;
  },
};

/** Says whether a known postal code is of the area of the one asked for; a rural area says nothing. */
function isOfArea(known: string | null, asked: string | null): boolean {
  return asked !== null && !isRural(asked) && isOfCode(known, asked.slice(0, 3));
}

/** "Toronto" for a house in North York: the whole city has the name. */
function isMailedToCity({ csd, mail }: Street, store: GazetteerStore): boolean {
  return store.mails[mail] === store.csds[csd]?.name;
}

/** Says whether the street, which goes on under another mailing name, has addresses of this one. */
function hasStreet(mail: number, { key, csd, type, direction }: Street, store: GazetteerStore): boolean {
  return store
    .streets(key, csd)
    .some((other) => other.mail === mail && other.type === type && other.direction === direction);
}

/**
 * Evidence by postal code: the requested code is the point's own. It replaces a municipality that is missing, unknown
 * or different.
 */
export const byPostalCode: MunicipalityLink = {
  csds: (_, postalCode, store) => (postalCode === null ? [] : store.csdsOfPostalArea(postalCode.slice(0, 3))),
  ofStreet: ({ divisions }, street, store) => (isInside(divisions, street, store) ? [] : null),
  ofPoint: ({ municipalities }, { street, point, postalCode }, store) => {
    if (postalCode === null || point.postalCode !== postalCode) return null;
    if (municipalities.length === 0) return [fault('MUNICIPALITY_MISSING', mailedTo(street, store))];
    // A rural code covers several municipalities, so it does not contradict the named one.
    return isRural(postalCode) ? null : [fault('MUNICIPALITY_DIFFERS', mailedTo(street, store))];
  },
};
