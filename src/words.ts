/** "1,234,567" */
export function grouped(value: number): string {
  return value.toLocaleString('en-CA');
}

/** Room on a disk in MiB, which people call megabytes, rounded up. */
export function roomMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MB`;
}

/** What a failure says. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
