import type { LayerGroup } from '../catalogue/definition.ts';
import type { KindDescription } from '../catalogue/kinds/kind.ts';
import type { AsOfSource, DataSetRecord } from './manifest.ts';

/** Body of `GET /api/layers`: what every key means, what it can be, and where the answer comes from. */
export interface LayersBody {
  readonly snapshot: { readonly id: string; readonly createdAt: string; readonly sample: boolean };
  /** In the order of the lookup's `layers`. */
  readonly layers: readonly LayerDescription[];
  /** The address register, null when none is loaded. */
  readonly addresses: RegisterDescription | null;
}

export interface LayerDescription extends KindDescription {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly french: { readonly title: string; readonly description: string } | null;
  readonly group: LayerGroup;
  readonly kind: 'boolean' | 'value' | 'object' | 'proximity' | 'count';
  /** The data set that answers first, then those that count too. */
  readonly dataSets: readonly DataSetDescription[];
}

export interface DataSetDescription {
  /** The `dataAsOf` key. */
  readonly id: string;
  readonly title: string;
  readonly publisher: string;
  readonly licence: { readonly id: string; readonly url: string | null };
  /** The text that the licence demands beside the data. */
  readonly attribution: string;
  /** Not loaded: its answers are null, never "no". */
  readonly state: 'loaded' | 'not_loaded';
  readonly sample: boolean;
  readonly asOf: string | null;
  readonly asOfFrom: AsOfSource | null;
  readonly importedAt: string | null;
  readonly coverage: DataSetRecord['coverage'] | null;
  readonly featureCount: number | null;
  /** What is not confirmed, and what stands in for it. */
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
