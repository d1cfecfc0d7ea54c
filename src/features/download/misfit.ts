/** A source that differs from its definition. */
export class Misfit extends Error {
  override readonly name = 'Misfit';
  /** The member of the definition to change; `names` is the source's. */
  readonly path: readonly ['names'] | readonly ['control'] | readonly ['geometry'] | readonly ['fields', string];

  constructor(message: string, path: Misfit['path'], options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}
