import { partKey } from '../parts/parts.ts';
import type { Services } from './services.ts';

/** Addresses that the snapshot in service answers. What keeps some sets it. */
export const answeredAddresses = partKey<{ readonly all: readonly { readonly address: string }[] }>(
  'answered addresses',
);

const OF_SAMPLE = '12 Main St W, Sampleton, ON';
/** The body of a lookup as it stands in our documents. */
export const exampleOfSample = JSON.stringify({ address: OF_SAMPLE });
/** No address, because none is known that this service answers. */
const IN_WORDS = 'NUMBER STREET, MUNICIPALITY, ON';

/**
 * Returns a body for `POST /api/lookup` that this service answers, for everything that prints a command. While no example is stored, it has the sample's
 * address on the sample, and elsewhere words in place of an address. It can stand between single quotes of a shell.
 */
export function exampleRequest({ parts, snapshots }: Pick<Services, 'parts' | 'snapshots'>): string {
  const [stored] = parts.has(answeredAddresses) ? parts.of(answeredAddresses).all : [];
  const address = stored?.address ?? (snapshots.manifest.gazetteer?.sample === true ? OF_SAMPLE : IN_WORDS);
  return JSON.stringify({ address }).replaceAll("'", String.raw`\u0027`);
}
