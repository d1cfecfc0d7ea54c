/** Names of a batch's objects, below the prefix of the store. All begin with `<batch id>/`. */

export function inputName(id: string, index: number): string {
  return `${id}/input/${index}.ndjson`;
}

/** Each attempt at a chunk writes an object of its own; Redis says which one counts. */
export function resultName(id: string, index: number, attempt: string): string {
  return `${id}/result/${index}-${attempt}.ndjson`;
}

/** What can be read of a batch that has ended: `EndedResults`. */
export function endName(id: string): string {
  return `${id}/end.json`;
}
