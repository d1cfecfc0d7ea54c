import { ByteReader, ByteWriter } from '../../geopackage/bytes.ts';
import { compareNames, encodeNames, type NamedStreet } from '../../suggest/name-list-layout.ts';
import { NumberRowWriter } from '../../suggest/number-row.ts';

/** The rows that suggestions need. */
export interface SuggestionRows {
  readonly names: Buffer;
  /** By civic number, ascending. */
  readonly numbers: Iterable<readonly [civic: number, row: Buffer]>;
}

/** Collects the streets and their civic numbers while the register is packed. */
export class NameListBuilder {
  readonly #streets: NamedStreet[] = [];
  readonly #names: { readonly name: Buffer; readonly street: number }[] = [];
  /** By street: its distinct civic numbers as differences. */
  readonly #civics: Buffer[] = [];
  readonly #writer = new ByteWriter();

  /** @param civics ascending; equal ones may repeat. */
  add(street: NamedStreet, names: readonly string[], civics: Iterable<number>): void {
    const number = this.#streets.push(street) - 1;
    for (const name of names) this.#names.push({ name: Buffer.from(name), street: number });
    let last = 0;
    for (const civic of civics) {
      if (civic !== last) this.#writer.varint(civic - last);
      last = civic;
    }
    this.#civics.push(this.#writer.take());
  }

  take(): SuggestionRows {
    this.#names.sort((a, b) => compareNames(a.name, b.name) || a.street - b.street);
    return { names: encodeNames(this.#streets, this.#names), numbers: this.#numberRows() };
  }

  *#numberRows(): Generator<readonly [number, Buffer]> {
    const rows = new Map<number, NumberRowWriter>();
    for (const [position, { street }] of this.#names.entries()) {
      const civics = new ByteReader(this.#civics[street]!);
      for (let civic = 0; !civics.done;) {
        civic += civics.varint();
        let row = rows.get(civic);
        if (!row) rows.set(civic, (row = new NumberRowWriter()));
        row.add(position);
      }
    }
    for (const civic of [...rows.keys()].sort((a, b) => a - b)) yield [civic, rows.get(civic)!.take()];
  }
}
