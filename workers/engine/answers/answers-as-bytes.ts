import type { LookupAnswer } from '../../../src/messages/lookup.ts';
import type { Outcome } from '../../../src/messages/outcome.ts';

/**
 * Puts the texts of answers into one buffer, as UTF-8. The main thread only passes them on: as texts they would be on its heap, where collecting them
 * stops the lookups of people for tens of milliseconds.
 */
export function answersAsBytes(outcomes: readonly Outcome<LookupAnswer>[]): readonly Outcome<LookupAnswer>[] {
  const lengths = outcomes.map((outcome) => (outcome.ok ? Buffer.byteLength(outcome.value.json) : 0));
  // A buffer of its own: a part of Node's pool would be sent with the whole pool.
  const all = Buffer.from(new ArrayBuffer(lengths.reduce((sum, length) => sum + length, 0)));
  let end = 0;
  return outcomes.map((outcome, i) => {
    if (!outcome.ok) return outcome;
    const start = end;
    end += all.write(outcome.value.json, start);
    return { ok: true, value: { ...outcome.value, json: '', bytes: new Uint8Array(all.buffer, start, lengths[i]) } };
  });
}
