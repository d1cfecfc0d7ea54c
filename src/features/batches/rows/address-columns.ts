/** Columns that make the address together, where a table has it in parts. */
import { badRequest, cutShort } from '../../../messages/problems.ts';
import { foldedName, isBlankText } from './columns.ts';
import { fieldsOfLine } from './csv-records.ts';

/** Most columns of an address. */
const MOST_COLUMNS = 20;

/**
 * Reads the names of the columns, with commas between them; one that has a comma stands in quotes, as in CSV. `param`: how the error calls them.
 * @throws AppError BAD_REQUEST when a name is missing or there twice, or when there are too many.
 */
export function addressColumnsOf(text: string, param: string): readonly string[] {
  const names = fieldsOfLine(text);
  if (names === null) throw badRequest(`${param} has a quote without its end`, { param });
  if (names.some(isBlankText))
    throw badRequest(`${param} must be names of columns with commas between them`, { param });
  if (new Set(names).size < names.length) throw badRequest(`${param} names a column twice`, { param });
  if (names.length > MOST_COLUMNS)
    throw badRequest(`${param} must not be more than ${MOST_COLUMNS} columns`, { param });
  return names;
}

/**
 * Returns where the columns are in a header: those of exactly these names, otherwise those that differ only in case, spaces, hyphens and underscores.
 * @throws AppError BAD_REQUEST for a column that is not there, or of which there are two.
 */
export function indexesOfColumns(names: readonly string[], header: readonly string[]): readonly number[] {
  return names.map((name) => {
    const indexes = (isIt: (other: string) => boolean) => header.flatMap((other, i) => (isIt(other) ? [i] : []));
    const exact = indexes((other) => other === name);
    const found = exact.length > 0 ? exact : indexes((other) => foldedName(other) === foldedName(name));
    const shown = JSON.stringify(cutShort(name));
    if (found.length > 1) {
      const both = found.slice(0, 2).map((i) => `${JSON.stringify(cutShort(header[i]!))} (column ${i + 1})`);
      throw badRequest(`the address columns name ${shown}, and the file has two of them: ${both.join(' and ')}`);
    }
    if (found.length === 0) throw badRequest(`the file has no column ${shown}, which the address columns name`);
    return found[0]!;
  });
}
