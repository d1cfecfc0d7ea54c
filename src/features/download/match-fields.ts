import type { DataSetDefinition } from '../../catalogue/definition.ts';
import { sourceField } from '../../catalogue/source-field.ts';
import type { ArcgisLayer } from './arcgis-layer.ts';
import { messageOf } from '../../words.ts';

/** The part of the definition that a source must fit. */
export type Wanted = Pick<DataSetDefinition, 'fields' | 'geometry'> & {
  /** The source's field -> the definition's. */
  readonly rename: Readonly<Record<string, string>>;
  /** Most features per request; without it, as many as the server allows. */
  readonly pageSize?: number | undefined;
};

/** Field of the definition -> the layer's name for it; null when the layer lacks it. */
export type FieldNames = ReadonlyMap<string, string | null>;

/**
 * Finds every field of the definition in a layer.
 * @throws Error when the layer is of another geometry type, or lacks a required field.
 */
export function matchFields({ url, name, fields, geometry }: ArcgisLayer, wanted: Wanted): FieldNames {
  if (geometry !== wanted.geometry)
    throw new Misfit(`${url} ("${name}") is of the geometry type ${geometry ?? 'none'}, not ${wanted.geometry}`, [
      'geometry',
    ]);
  const present = fields.map((field) => field.name);
  const names = new Map<string, string | null>();
  for (const [field, definition] of Object.entries(wanted.fields)) {
    const source = found(() => sourceField(field, definition, wanted.rename, present), `${url} ("${name}")`, field);
    if (source === null && definition.required)
      throw new Misfit(
        `${url} ("${name}") has no field ${quoted([field, ...(definition.alternatives ?? [])])}; it has: ${present.join(', ')}`,
        ['fields', field],
      );
    names.set(field, source);
  }
  return names;
}

/** Names for a message: `"a" or "b"`. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' or ');
}

/** @throws Misfit when a name is not clear. */
function found(find: () => string | null, where: string, field: string): string | null {
  try {
    return find();
  } catch (cause) {
    throw new Misfit(`${where} ${messageOf(cause)}`, ['fields', field], { cause });
  }
}

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
