import type { LayerExamples } from './layer-schemas.ts';
import type { LookupExamples } from './lookup-operations.ts';
import type { Suggestion } from '../../messages/wire/suggest.ts';

/** Answers of the service on its bundled sample (`docs/api-examples.json`). */
export interface Examples extends LookupExamples {
  readonly layers: LayerExamples;
  /** What someone typed, and the answer. */
  readonly suggest: { readonly q: string; readonly suggestions: readonly Suggestion[] };
}
