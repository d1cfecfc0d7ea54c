import type {
  ArcgisSource,
  CompositeSource,
  ControlPoints,
  DataSetDefinition,
  FileSource,
  LayerPlace,
  PackageSource,
  SourceDefinition,
  SourcePart,
} from '../../catalogue/definition.ts';
import type { DownloadedFile } from '../../messages/import.ts';
import { nameOfPart } from '../../catalogue/source-field.ts';
import type { LayerAddress } from './survey-layer.ts';

/** Root of the province's open layers (Land Information Ontario). */
export const provinceServer = 'https://ws.lioservices.lrc.gov.on.ca/arcgis2/rest/services';

/** Root of the province's packages: each theme is one zipped file geodatabase, `CODE.zip`. */
export const provincePackages = 'https://ws.gisetl.lrc.gov.on.ca/fmedatadownload/Packages/fgdb';

/** Roots of the sources of definitions. */
export interface Roots {
  /** Of the services, for sources that do not name their own. */
  readonly server: string;
  /** Of the packages; null: packages are not used. */
  readonly packages: string | null;
}

/** A file at its own address. */
interface RemoteFile extends Pick<DownloadedFile, 'layer' | 'where' | 'crs' | 'rename'> {
  readonly url: string;
  /** True for the province's packages, which are only one of several sources of the data. */
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
      /** The part of a composite source that it belongs to. */
      readonly part?: RemotePart;
    }
  | { readonly kind: 'file'; readonly file: RemoteFile };

/** The facts about a part of a composite source that a download needs. */
export interface RemotePart extends Pick<SourcePart, 'pageSize' | 'asOf'> {
  /** Features of the data set, or polygons in which the part knows the answer. */
  readonly role: 'features' | 'coverage';
  /** The definition's field -> its value for every feature. */
  readonly constants: Readonly<Record<string, string>>;
  /** The definition's field for the date of the part. */
  readonly asOfField: string | null;
  /** What a report calls it. */
  readonly name: string;
  readonly control: ControlPoints | null;
  /** Whose area of `ca_admin_areas` the part covers; null when it is no authority's. */
  readonly authority: string | null;
  /** False where all parts together know the province: then none of them can be missing. */
  readonly canBeMissing: boolean;
}

/** Returns everything to fetch for a source; empty when it has no address. */
export function remoteSources(source: SourceDefinition, { server, packages }: Roots): RemoteSource[] {
  switch (source.kind) {
    case 'arcgis':
      return [remoteLayer(source, server)];
    case 'file':
      return [{ kind: 'file', file: remoteFile(source) }];
    case 'package':
      return packages === null ? [] : [{ kind: 'file', file: remotePackage(source, packages) }];
    case 'composite':
      return partsInUse(source).flatMap((part) => remotesOf(part, source, server));
  }
}

function remoteLayer(source: ArcgisSource, server: string): RemoteSource {
  const { service, names, layerIdHint, where, rename } = source;
  const address = {
    server: source.server ?? server,
    service,
    names,
    layerIdHint,
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

function partsInUse({ parts }: CompositeSource): readonly SourcePart[] {
  return parts.filter(({ use }) => use === true);
}

function remotesOf(part: SourcePart, { labels = {} }: CompositeSource, server: string): RemoteSource[] {
  const { publisher, kind, coverage, attribution, rename = {}, constants = {}, pageSize, asOf, control = null } = part;
  const labelled: [string | undefined, string][] = [
    [labels.publisher, publisher],
    [labels.kind, kind],
  ];
  const fixed = Object.fromEntries(labelled.filter(([field]) => field !== undefined)) as Record<string, string>;
  const options = { ...(pageSize === undefined ? {} : { pageSize }), ...(asOf === undefined ? {} : { asOf }) };
  const own = {
    name: nameOfPart(part),
    authority: typeof coverage === 'object' && 'authority' in coverage ? coverage.authority : null,
    canBeMissing: coverage !== 'province',
  };
  const features: RemoteSource = {
    kind: 'layer',
    address: addressOf(part, server),
    rename,
    attribution,
    part: {
      ...options,
      ...own,
      role: 'features',
      constants: { ...fixed, ...constants },
      asOfField: labels.asOf ?? null,
      control,
    },
  };
  if (typeof coverage !== 'object' || !('layer' in coverage)) return [features];
  const area: RemoteSource = {
    kind: 'layer',
    address: addressOf(coverage.layer, server),
    rename: {},
    attribution: null,
    part: { ...own, role: 'coverage', constants: {}, asOfField: null, control: null },
  };
  return [features, area];
}

function addressOf({ server, service, names, layerIdHint }: LayerPlace, province: string): LayerAddress {
  return { server: server ?? province, service, names, layerIdHint, mustBeNamed: server !== undefined };
}

/** Says whether the parts in use know the answer in areas of their own, and not in the whole province. */
export function hasPartAreas({ sources }: DataSetDefinition): boolean {
  const composite = sources.find((source) => source.kind === 'composite');
  return composite !== undefined && partsInUse(composite).every(({ coverage }) => coverage !== 'province');
}
