import type { FileSource, SourceDefinition } from '../catalogue/definition.ts';
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

/** What is fetched for a source, all of it together; nothing when it has no address. */
export function remoteSources(source: SourceDefinition, server: string): RemoteSource[] {
  switch (source.kind) {
    case 'arcgis': {
      const { service, names, layerIdHint, where, rename } = source;
      const address = {
        ...{ server: source.server ?? server, service, names, layerIdHint },
        ...(where === undefined ? {} : { where }),
      };
      return [{ kind: 'layer', address, rename: rename ?? {}, attribution: null }];
    }
    case 'file':
      return [{ kind: 'file', source }];
    case 'package':
      return [];
    case 'composite':
      return source.parts.flatMap((part): RemoteSource[] => {
        if (part.server === undefined) return [];
        const hint = /\/(\d+)$/.exec(part.service)?.[1];
        const layerIdHint = hint === undefined ? null : Number(hint);
        const address = { server: part.server, service: part.service, names: [part.layer], layerIdHint };
        return [{ kind: 'layer', address, rename: {}, attribution: part.attribution }];
      });
  }
}
