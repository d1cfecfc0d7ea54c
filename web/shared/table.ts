/** Tables, as their columns. */
import { el, type Child } from './dom.ts';

/** A column that is false is left out. `isName`: it names the row. */
export type Column<Row> = false | { name: string; of: (row: Row) => Child; isName?: boolean };

/** A table with a row for each of `rows`, and `sum` below them. */
export function table<Row>(
  columns: readonly Column<Row>[],
  { caption, rows, sum }: { caption: Node | string; rows: readonly Row[]; sum?: Row },
) {
  const shown = columns.filter((column) => column !== false);
  const cell = (row: Row) => (column: (typeof shown)[number]) =>
    column.isName ? el('th', { scope: 'row' }, column.of(row)) : el('td', column.of(row));
  const rowOf = (row: Row) => el('tr', shown.map(cell(row)));
  const head = shown.map(({ name }) => el('th', { scope: 'col' }, name));
  return el(
    'table',
    el('caption', caption),
    el('thead', el('tr', head)),
    el('tbody', rows.map(rowOf)),
    sum && el('tfoot', rowOf(sum)),
  );
}

/** The same, which may be wider than a phone, and then scrolls by itself; by keyboard, too. */
export function scrolledTable<Row>(columns: readonly Column<Row>[], given: { caption: string; rows: readonly Row[] }) {
  const how = { tabIndex: 0, role: 'region', 'aria-label': given.caption };
  return el('div.batch-scroll', how, table(columns, given));
}
