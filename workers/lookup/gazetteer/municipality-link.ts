import { fault } from '../../../src/shared/addresses/faults.ts';
import { isRural } from '../../../src/shared/addresses/postal-code.ts';
import type { Reading } from '../../../src/shared/addresses/reading.ts';
import type { Fault } from '../../../src/shared/wire/geocode.ts';
import type { Coordinate } from '../../../src/shared/contract/lookup.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';

/** Evidence that connects a candidate with the municipality in the address. */
export interface MunicipalityLink {
  /** Returns the census subdivisions in which to search for a street. */
  csds(reading: Reading, postalCode: string | null, store: GazetteerStore): readonly number[];
  /** Returns the faults of a street as one of the named municipality; null when nothing connects them. */
  ofStreet(reading: Reading, street: Street, store: GazetteerStore): Fault[] | null;
  /** Returns the faults of a point; null when nothing connects it. */
  ofPoint(reading: Reading, place: Place, store: GazetteerStore): Fault[] | null;
}

export interface Place {
  readonly street: Street;
  readonly point: Coordinate & { readonly postalCode: string | null };
  /** As asked. */
  readonly postalCode: string | null;
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
 * publishers disagree about them.
 */
export const byNeighbourhood: MunicipalityLink = {
  csds: ({ municipalities: [name = ''] }, _, store) => [
    ...new Set(store.municipality(name).flatMap(({ csd, mail }) => (mail === null ? [] : [csd]))),
  ],
  ofStreet: ({ divisions, municipalities: [, ...others] }, street, store) =>
    isInside(divisions, street, store) && others.every((name) => faultsOfName(name, street, store)) ? [] : null,
  ofPoint: ({ municipalities: [name = ''] }, { street, point }, store) => {
    const near = store
      .municipality(name)
      .some(({ csd, mail }) => csd === street.csd && mail !== null && store.isMailedNear(mail, point));
    return near ? [fault('MUNICIPALITY_NEARBY', mailedTo(street, store))] : null;
  },
};

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
