import { partKey } from '../parts/parts.ts';
import type { Services } from './services.ts';

/** What the core must know of stored examples, where a feature keeps some: addresses that the snapshot in service answers. */
const storedExamples = partKey<{ readonly all: readonly { readonly address: string }[] }>('examples');

const OF_SAMPLE = '12 Main St W, Sampleton, ON';
/** No address, because none is known that this service answers. */
const IN_WORDS = 'NUMBER STREET, MUNICIPALITY, ON';

/**
 * Returns a body for `POST /api/lookup` that this service answers, for everything that prints a command. While no example is stored, it has the sample's
 * address on the sample, and elsewhere words in place of an address. It can stand between single quotes of a shell.
 */
export function exampleRequest({ parts, snapshots }: Pick<Services, 'parts' | 'snapshots'>): string {
  const [stored] = parts.has(storedExamples) ? parts.of(storedExamples).all : [];
  const address = stored?.address ?? (snapshots.manifest.gazetteer?.sample === true ? OF_SAMPLE : IN_WORDS);
  return JSON.stringify({ address }).replaceAll("'", String.raw`\u0027`);
}
