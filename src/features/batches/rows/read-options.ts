import type { ReadArea } from '../../../messages/lookup.ts';
import type { Turns } from './turns.ts';

/** Gets each name of a column or a member that is not used, once. */
export type OnIgnored = (name: string) => void;

/** How a file of places is read. */
export interface ReadOptions {
  readonly onIgnored?: OnIgnored;
  /** Columns that make the address together; without them the column `address` does. */
  readonly addressColumns?: readonly string[] | undefined;
  /** Is told of each line, and of each record of CSV, that says nothing. What it throws ends the reading. */
  readonly onBlank?: () => void;
  readonly turns?: Turns;
  /** Reads rows of NDJSON that are areas; absent or null: such rows are refused. */
  readonly readArea?: ReadArea | null | undefined;
}
