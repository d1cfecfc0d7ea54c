/** A layer without a feature. */
export class Empty extends Error {}

/** A source that differs from its definition. */
export class Misfit extends Error {
  override readonly name = 'Misfit';
  /** The member of the definition to change; `names` is the source's. */
  readonly path: readonly ['names'] | readonly ['control'] | readonly ['geometry'] | readonly ['fields', string];

  /** True: nothing is where the definition says, under whatever name. */
  readonly isGone: boolean;

  constructor(message: string, path: Misfit['path'], options: ErrorOptions & { readonly isGone?: boolean } = {}) {
    super(message, options);
    this.path = path;
    this.isGone = options.isGone ?? false;
  }
}
