import type { ArcgisSource, FileSource, PackageSource, SourceDefinition, SourcePart } from '../catalogue/definition.ts';
import type { LayerAddress } from './find-layer.ts';

/** Where the province publishes its open layers (Land Information Ontario). */
export const provinceServer = 'https://ws.lioservices.lrc.gov.on.ca/arcgis2/rest/services';

/** Where it hands out each theme as one zipped file geodatabase, `CODE.zip`. */
export const provincePackages = 'https://ws.gisetl.lrc.gov.on.ca/fmedatadownload/Packages/fgdb';

/** Where the sources of definitions are looked for. */
export interface Roots {
  /** Of the services, for sources that do not name their own. */
  readonly server: string;
  /** Of the packages; null: packages are not asked for. */
  readonly packages: string | null;
}

/** A file at an address of its own. */
export interface RemoteFile {
  readonly url: string;
  /** Names that the layer may have; null: the only one. */
  readonly layer: readonly string[] | null;
  readonly where: string | null;
  readonly crs: string | null;
  readonly rename: Readonly<Record<string, string>>;
  /** One of the province's packages, which are only one of several ways to the data. */
  readonly isPackage: boolean;
}

export function packageUrl(code: string, root: string): string {
  return `${root.replace(/\/$/, '')}/${code}.zip`;
}

/** One thing to fetch for a data set. */
export type RemoteSource =
  | {
      readonly kind: 'layer';
      readonly address: LayerAddress;
      readonly rename: Readonly<Record<string, string>>;
      readonly attribution: string | null;
    }
  | { readonly kind: 'file'; readonly file: RemoteFile };

/** A layer that the operator names in place of the definition's. */
export interface LayerChoice {
  /** The definition's, but for the service. */
  readonly source: ArcgisSource;
  readonly id: number;
}

/** What is fetched for a source, all of it together; nothing when it has no address. */
export function remoteSources(source: SourceDefinition, { server, packages }: Roots): RemoteSource[] {
  switch (source.kind) {
    case 'arcgis':
      return [remoteLayer(source, server)];
    case 'file':
      return [{ kind: 'file', file: remoteFile(source) }];
    case 'package':
      return packages === null ? [] : [{ kind: 'file', file: remotePackage(source, packages) }];
    case 'composite':
      return source.parts.flatMap(remotePart);
  }
}

function remoteLayer(source: ArcgisSource, server: string): RemoteSource {
  const { service, names, layerIdHint, where, rename } = source;
  const address = {
    ...{ server: source.server ?? server, service, names, layerIdHint },
    ...(where === undefined ? {} : { where }),
  };
  return { kind: 'layer', address, rename: rename ?? {}, attribution: null };
}

function remoteFile({ url, layer, where, crs, rename = {} }: FileSource): RemoteFile {
  const layers = layer === undefined ? null : [layer];
  return { url, layer: layers, where: where ?? null, crs: crs ?? null, rename, isPackage: false };
}

function remotePackage({ code, layer, where, rename = {} }: PackageSource, packages: string): RemoteFile {
  return { url: packageUrl(code, packages), layer, where: where ?? null, crs: null, rename, isPackage: true };
}

function remotePart({ server, service, layer, attribution }: SourcePart): RemoteSource[] {
  if (server === undefined) return [];
  const hint = /\/(\d+)$/.exec(service)?.[1];
  const layerIdHint = hint === undefined ? null : Number(hint);
  return [{ kind: 'layer', address: { server, service, names: [layer], layerIdHint }, rename: {}, attribution }];
}
