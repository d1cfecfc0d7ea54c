/** Formats rows as text columns; columns of numbers and blanks are aligned right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const isNumeric = head.map((_, i) => rows.every((row) => /^[+-]?[\d.,]*( %)?$/.test(row[i] ?? '')));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (isNumeric[i] === true ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}
