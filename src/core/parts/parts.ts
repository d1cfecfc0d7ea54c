/** Names what a feature has open in a service, and carries its type. */
export interface PartKey<Part> {
  readonly feature: string;
  /** Never there: it keeps the type. */
  readonly type?: Part;
}

export function partKey<Part>(feature: string): PartKey<Part> {
  return { feature };
}

/** What the features of a service have open. The core carries it to their routes and does not look into it. */
export class Parts {
  readonly #parts: Map<string, unknown>;

  /** @param given parts that somebody else has opened, and closes, by the names of their features. */
  constructor(given: Readonly<Record<string, unknown>> = {}) {
    this.#parts = new Map(Object.entries(given));
  }

  has({ feature }: PartKey<unknown>): boolean {
    return this.#parts.has(feature);
  }

  set<Part>({ feature }: PartKey<Part>, part: Part): void {
    this.#parts.set(feature, part);
  }

  /** @throws Error when the feature is not open: its routes are not there then. */
  of<Part>({ feature }: PartKey<Part>): Part {
    if (!this.#parts.has(feature)) throw new Error(`the feature ${feature} is not open`);
    return this.#parts.get(feature) as Part;
  }
}
