import { fault } from '../../../src/shared/addresses/faults.ts';
import { isRural } from '../../../src/shared/addresses/postal-code.ts';
import type { Reading } from '../../../src/shared/addresses/reading.ts';
import type { Fault } from '../../../src/shared/wire/geocode.ts';
import type { Coordinate } from '../../../src/shared/contract/lookup.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';

/** What connects a candidate with the municipality that the address names. */
export interface Evidence {
  /** Census subdivisions in which to look for a street. */
  csds(reading: Reading, postalCode: string | null, store: GazetteerStore): readonly number[];
  /** Faults of taking a street for one of the municipality named; null when nothing connects them. */
  ofStreet(reading: Reading, street: Street, store: GazetteerStore): Fault[] | null;
  /** Faults of taking a point; null when nothing connects it. */
  ofPoint(reading: Reading, place: Place, store: GazetteerStore): Fault[] | null;
}

export interface Place {
  readonly street: Street;
  readonly point: Coordinate & { readonly postalCode: string | null };
  /** As asked. */
  readonly postalCode: string | null;
}

const none = (): Fault[] => [];

/** The register mails the street to the name, or the name is that of its census subdivision, or of a former municipality in it. */
export const byName: Evidence = {
  csds: ({ municipalities: [name = ''] }, _, store) => [...new Set(store.municipality(name).map(({ csd }) => csd))],
  ofStreet: ({ municipalities }, street, store) => nameFaults(municipalities, street, store),
  ofPoint: none,
};

/** Several names are those of one place: a street must fit them all, and the one next to the street decides what it costs. */
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
 * The name is mailed to in the same census subdivision and within some kilometres of the point: the borders of former municipalities are not
 * drawn on the ground, and publishers disagree about them.
 */
export const byNeighbourhood: Evidence = {
  csds: ({ municipalities: [name = ''] }, _, store) => [
    ...new Set(store.municipality(name).flatMap(({ csd, mail }) => (mail === null ? [] : [csd]))),
  ],
  ofStreet: none,
  ofPoint: ({ municipalities: [name = ''] }, { street, point }, store) => {
    const near = store
      .municipality(name)
      .some(({ csd, mail }) => csd === street.csd && mail !== null && store.isMailedNear(mail, point));
    return near ? [fault('MUNICIPALITY_NEARBY', mailedTo(street, store))] : null;
  },
};

/** The postal code asked for is the point's own: it stands in for a municipality that is missing, unknown or another. */
export const byPostalCode: Evidence = {
  csds: (_, postalCode, store) => (postalCode === null ? [] : store.csdsOfPostalArea(postalCode.slice(0, 3))),
  ofStreet: none,
  ofPoint: ({ municipalities }, { street, point, postalCode }, store) => {
    if (postalCode === null || point.postalCode !== postalCode) return null;
    if (municipalities.length === 0) return [fault('MUNICIPALITY_MISSING', mailedTo(street, store))];
    // A rural code covers several municipalities, so it does not speak against the one that is named.
    return isRural(postalCode) ? null : [fault('MUNICIPALITY_DIFFERS', mailedTo(street, store))];
  },
};
