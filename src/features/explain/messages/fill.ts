/** A file of its own: the page loads it first, and what says findings with the first answer. */

/** Fills the `{name}` places of a text. A full stop at the end of a value, as in "9:40 a.m.", also ends the sentence. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}(\.(?!\.))?/g, (_, name: string, stop: string = '') => {
    const value = String(values[name] ?? '');
    return value.endsWith('.') ? value : value + stop;
  });
}
