import type { Database } from 'better-sqlite3';
import { sides, sideTable, type Beside, type Side } from '../../../src/catalogue/side-tables.ts';
import { createFeatureTable, dropFeatureTable, type FeatureWriter, type TableDefinition } from './feature-table.ts';

/** The writers of a data set's tables. */
export interface Writers {
  /** Returns the writer of the features that count (null), or of those beside them. */
  of(side: Side | null): Pick<FeatureWriter, 'add'>;
  /** Rows of each table, in an order of its own. */
  readonly counts: readonly number[];
  /** Removes the rows that were added after these were the counts. */
  truncate(counts: readonly number[]): void;
}

/** Writes a data set's table and, where there are features for them, those beside it. */
export class TableWriters implements Writers {
  readonly main: FeatureWriter;
  readonly #db: Database;
  readonly #table: TableDefinition;
  readonly #beside = new Map<Side, FeatureWriter>();

  /** Replaces the tables of the data set. */
  constructor(db: Database, table: TableDefinition) {
    this.#db = db;
    this.#table = table;
    dropSideTables(db, table.name);
    this.main = createFeatureTable(db, table);
  }

  of(side: Side | null): FeatureWriter {
    if (side === null) return this.main;
    let writer = this.#beside.get(side);
    if (writer === undefined) {
      writer = createFeatureTable(this.#db, { ...this.#table, name: sideTable(this.#table.name, side) });
      this.#beside.set(side, writer);
    }
    return writer;
  }

  get counts(): readonly number[] {
    return [this.main.count, ...sides.map((side) => this.#beside.get(side)?.count ?? 0)];
  }

  truncate([main = 0, ...beside]: readonly number[]): void {
    this.main.truncate(main);
    sides.forEach((side, i) => this.#beside.get(side)?.truncate(beside[i] ?? 0));
  }

  /** Numbers of features beside those that count; undefined when there are none. */
  get beside(): Beside | undefined {
    const counts = [...this.#beside].filter(([, { count }]) => count > 0).map(([side, { count }]) => [side, count]);
    return counts.length === 0 ? undefined : (Object.fromEntries(counts) as Beside);
  }

  finish(): void {
    for (const [side, writer] of this.#beside) {
      if (writer.count > 0) writer.finish();
      else dropFeatureTable(this.#db, sideTable(this.#table.name, side));
    }
    this.main.finish();
  }
}

/** Removes the tables beside that of a data set. */
export function dropSideTables(db: Database, dataSet: string): void {
  for (const side of sides) dropFeatureTable(db, sideTable(dataSet, side));
}
