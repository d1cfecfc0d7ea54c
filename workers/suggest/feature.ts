import type { LookupAnswer, LookupTask } from '../../src/messages/lookup.ts';
import { failFor, type Outcome } from '../../src/messages/outcome.ts';
import { NO_REGISTER } from '../engine/answers/place-lookups.ts';
import type { ThreadFeature } from '../engine/feature.ts';
import { openSuggester, readStreetNames } from './open.ts';
import type { Suggester } from './suggester.ts';

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
