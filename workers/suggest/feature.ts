import type { LookupAnswer, LookupTask } from '../../src/messages/lookup.ts';
import { type Outcome, failFor } from '../../src/messages/outcome.ts';
import { NO_REGISTER } from '../engine/answers/place-lookups.ts';
import type { ThreadFeature } from '../engine/feature.ts';
import { Suggester } from './suggester.ts';
import type Gdal from 'gdal-async';
import { type GazetteerStore, optionalRow } from '../engine/gazetteer/store.ts';
import { tables } from '../engine/gazetteer/tables.ts';
import { NameList } from './name-list.ts';
import { NumberRow } from './number-row.ts';

/** Addresses that begin as what is typed. */
export const suggest: ThreadFeature = {
  name: 'suggest',
  share: ({ manifest, dataset }) => (manifest.gazetteer ? readStreetNames(dataset) : null),
  open: ({ snapshot, gazetteer }, { shared }) => {
    if (!gazetteer) return { handlers: { suggest: () => failFor('NO_REGISTER', NO_REGISTER) } };
    const suggester = openSuggester(snapshot.dataset, gazetteer.store, shared);
    return {
      handlers: { suggest: (task) => answer(suggester, task) },
      warmUp: () => suggester?.suggest('1 main st tor', 5),
    };
  },
};

function answer(
  suggester: Suggester | null,
  { text, limit }: LookupTask & { readonly kind: 'suggest' },
): Outcome<LookupAnswer> {
  if (!suggester) {
    return failFor(
      'NO_REGISTER',
      'the address register was imported without suggestions: run `land-lookup load-addresses`',
    );
  }
  const start = performance.now();
  const json = JSON.stringify({ suggestions: suggester.suggest(text, limit) });
  return { ok: true, value: { json, geocodeMs: performance.now() - start, layersMs: 0 } };
}

/**
 * Reads the list of street names into one block that threads share; null when the register was imported before there
 * was one.
 */
export function readStreetNames(dataset: Gdal.Dataset): SharedArrayBuffer | null {
  if (!dataset.layers.map(({ name }) => name).includes(tables.prefixes)) return null;
  const row = optionalRow(dataset.layers.get(tables.prefixes).features, 1);
  if (row === null) return null;
  const shared = new SharedArrayBuffer(row.length);
  row.copy(new Uint8Array(shared));
  return shared;
}

/**
 * Returns null when the register was imported without a list of street names.
 * @throws Error when the list has another format.
 */
export function openSuggester(
  dataset: Gdal.Dataset,
  store: GazetteerStore,
  names = readStreetNames(dataset),
): Suggester | null {
  if (names === null) return null;
  const numbers = dataset.layers.get(tables.numbers).features;
  return new Suggester({
    store,
    list: new NameList(names),
    numbers: (civic) => new NumberRow(optionalRow(numbers, civic) ?? Buffer.alloc(0)),
  });
}
