import type { DataSetDefinition, FileSource } from '../catalogue/definition.ts';
import type { LayerAddress } from './arcgis-layer.ts';

/** Where the province publishes its open layers (Land Information Ontario). */
export const provinceServer = 'https://ws.lioservices.lrc.gov.on.ca/arcgis2/rest/services';

/** One thing to fetch for a data set. */
export type RemoteSource =
  | {
      readonly kind: 'layer';
      readonly address: LayerAddress;
      readonly rename: Readonly<Record<string, string>>;
      readonly attribution: string | null;
    }
  | { readonly kind: 'file'; readonly source: FileSource };

/** What a data set is fetched from; nothing when its definition knows no address. */
export function remoteSources({ source }: DataSetDefinition, server: string): RemoteSource[] {
  switch (source.kind) {
    case 'arcgis': {
      const { service, layer, layerIdHint, rename } = source;
      const address = { server: source.server ?? server, service, layer, layerIdHint };
      return [{ kind: 'layer', address, rename: rename ?? {}, attribution: null }];
    }
    case 'file':
      return [{ kind: 'file', source }];
    case 'composite':
      return source.parts.flatMap((part): RemoteSource[] => {
        if (part.server === undefined) return [];
        const hint = /\/(\d+)$/.exec(part.service)?.[1];
        const layerIdHint = hint === undefined ? null : Number(hint);
        const address = { server: part.server, service: part.service, layer: part.layer, layerIdHint };
        return [{ kind: 'layer', address, rename: {}, attribution: part.attribution }];
      });
  }
}
