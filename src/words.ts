/** "1,234,567" */
export function grouped(value: number): string {
  return value.toLocaleString('en-CA');
}

/** Room on a disk in MiB, which people call megabytes, rounded up. */
export function roomMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MB`;
}

/** "a, b or c". @param last what stands before the last of them. */
export function inWords(parts: readonly string[], last: string): string {
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(last);
}

/** What a failure says. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Cuts all texts in a value; an ellipsis shows where. */
export function cut(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => cut(member, longest));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, longest)]));
}
