/** Most bytes of a tool's text as it is sent, so that an answer with its envelope is at most 10 kB. */
const MOST_BYTES = 9500;

/** Lengths in characters to which texts are cut, until an answer is small enough. */
const LENGTHS = [1000, 200, 80, 30];

/**
 * Writes an answer with its texts as long as fits. `compose` cuts each text to the length that it is given.
 * @returns its JSON; the shortest that `compose` gives when nothing fits.
 */
export function fittingText(compose: (longest: number) => object): string {
  let text = '';
  for (const longest of LENGTHS) {
    text = JSON.stringify(compose(longest));
    // The text is sent as a string of JSON, in which each of its quotes takes two bytes.
    if (Buffer.byteLength(JSON.stringify(text)) <= MOST_BYTES) break;
  }
  return text;
}

/** Cuts all texts in a value; an ellipsis shows where. */
export function cut(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => cut(member, longest));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, longest)]));
}
