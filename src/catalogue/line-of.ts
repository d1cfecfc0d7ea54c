/** A string (a member's name if a colon follows), a bracket, a comma, or any other value. */
const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]|[^\s{}[\],":]+/g;

/**
 * The line, from 1, on which a member of a JSON document begins; that of the member around it when it is not there.
 * The text must be valid JSON.
 */
export function lineOf(text: string, path: readonly (string | number)[]): number {
  let at = 0;
  for (const step of path) {
    const child = childAt(text, at, step);
    if (child === null) break;
    at = child;
  }
  return text.slice(0, at).split('\n').length;
}

/** Where a member of the object or list begins that begins at `from`, be it after its own name. */
function childAt(text: string, from: number, step: string | number): number | null {
  let depth = 0;
  let element = 0;
  for (const match of text.slice(from).matchAll(tokens)) {
    const [token] = match;
    const isEnd = '}],'.includes(token);
    if (depth === 1 && !isEnd && step === (nameIn(match) ?? element)) return from + match.index;
    if ('{['.includes(token)) depth++;
    if ('}]'.includes(token)) depth--;
    if (token === ',' && depth === 1) element++;
    // The value of the member ends here.
    if (depth === 0 && isEnd) return null;
  }
  return null;
}

function nameIn([, name, colon]: RegExpMatchArray): string | null {
  return name !== undefined && colon !== undefined ? (JSON.parse(name) as string) : null;
}
