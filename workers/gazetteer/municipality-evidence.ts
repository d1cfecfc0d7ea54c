import { fault } from '../../src/addresses/faults.ts';
import type { Fault } from '../../src/contract/geocode.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';

/**
 * What speaks for a street when a municipality is named: nothing to remark when the register mails the street to that name, a fault when
 * the name is that of the census subdivision or a former municipality in it; null when the register knows no connection.
 * @param names municipality keys, the one next to the street first; a street must fit them all.
 */
export function municipalityFaults(names: readonly string[], street: Street, store: GazetteerStore): Fault[] | null {
  const [first, ...others] = names.map((name) => faultsOfName(name, street, store));
  if (first === undefined || first === null || others.includes(null)) return null;
  return first;
}

function faultsOfName(name: string, street: Street, store: GazetteerStore): Fault[] | null {
  const targets = store.municipality(name).filter(({ csd }) => csd === street.csd);
  if (targets.some(({ mail }) => mail === street.mail)) return [];
  const whole = targets.find(({ mail }) => mail === null);
  if (!whole) return null;
  const mail = store.mails[street.mail] ?? '';
  return whole.curated
    ? [fault('MUNICIPALITY_FORMER', `the register mails it to ${mail}`)]
    : [fault('MUNICIPALITY_TODAY', `the register mails it to ${mail}`)];
}
