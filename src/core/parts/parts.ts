/** Names what a feature has open in a service, and carries its type. */
export interface PartKey<Part> {
  /** Of the feature, or of what the core asks for. */
  readonly name: string;
  /** Never there: it keeps the type. */
  readonly type?: Part;
}

export function partKey<Part>(name: string): PartKey<Part> {
  return { name };
}

/** What the features of a service have open. The core carries it to their routes and does not look into it. */
export class Parts {
  readonly #parts: Map<string, unknown>;

  /** @param given parts that somebody else has opened, and closes, by their names. */
  constructor(given: Readonly<Record<string, unknown>> = {}) {
    this.#parts = new Map(Object.entries(given));
  }

  has({ name }: PartKey<unknown>): boolean {
    return this.#parts.has(name);
  }

  set<Part>({ name }: PartKey<Part>, part: Part): void {
    this.#parts.set(name, part);
  }

  /** @throws Error when the feature is not open: its routes are not there then. */
  of<Part>({ name }: PartKey<Part>): Part {
    if (!this.#parts.has(name)) throw new Error(`the part ${name} is not open`);
    return this.#parts.get(name) as Part;
  }
}
