import type { Bands, LayerGroup } from '../catalogue/definition.ts';
import type { AsOfSource, DataSetRecord } from './manifest.ts';

/** Body of `GET /api/layers`: meaning, possible values and sources of every key. */
export interface LayersBody {
  readonly snapshot: { readonly id: string; readonly createdAt: string; readonly sample: boolean };
  /** In the order of the lookup's `layers`. */
  readonly layers: readonly LayerDescription[];
  /** The address register, null when none is loaded. */
  readonly addresses: RegisterDescription | null;
}

export interface LayerDescription {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly french: { readonly title: string; readonly description: string } | null;
  readonly group: LayerGroup;
  readonly kind: 'boolean' | 'value' | 'object' | 'proximity' | 'count';
  /** Possible values of the key; null when they are the source's own words or an object. */
  readonly values: readonly (string | boolean)[] | null;
  /** Members of an object, with their meanings. */
  readonly members: Readonly<Record<string, string>> | null;
  /** Distances in metres of a proximity class. */
  readonly bandsM: (Bands & { readonly inside: number }) | null;
  /** Other distances for features with one of these values. */
  readonly specialBandsM: readonly { readonly for: readonly string[]; readonly bandsM: Bands }[] | null;
  /** Radius of a count in metres. */
  readonly radiusM: number | null;
  /** The layer's own data set first, then the others whose features count. */
  readonly dataSets: readonly DataSetDescription[];
}

export interface DataSetDescription {
  /** The `dataAsOf` key. */
  readonly id: string;
  readonly title: string;
  readonly publisher: string;
  readonly licence: { readonly id: string; readonly url: string | null };
  /** The text that the licence requires beside the data. */
  readonly attribution: string;
  /** Not loaded: its answers are null, never "no". */
  readonly state: 'loaded' | 'not_loaded';
  readonly sample: boolean;
  readonly asOf: string | null;
  readonly asOfFrom: AsOfSource | null;
  readonly importedAt: string | null;
  readonly coverage: DataSetRecord['coverage'] | null;
  readonly featureCount: number | null;
  /** Facts that are not confirmed, and their replacements. */
  readonly notes: readonly string[];
}

export interface RegisterDescription {
  readonly title: string;
  readonly publisher: string;
  readonly licence: string;
  readonly attribution: string;
  readonly asOf: string;
  readonly sample: boolean;
}
