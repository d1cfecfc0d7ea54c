/**
 * A file in `layers/` (schema: `layers/schema/data-set.schema.json`): where a data set comes from, which fields are
 * kept, and which keys of the response it answers, and how.
 */
export interface DataSetDefinition {
  /** The file's name without `.json`; also the `dataAsOf` key and the table name. */
  readonly id: string;
  readonly title: string;
  readonly publisher: string;
  /** `url` is null where the licences of a composite data set differ. */
  readonly licence: { readonly id: string; readonly url: string | null; readonly attribution: string };
  /** In order of preference: the first that works is used. A composite source must be the only one. */
  readonly sources: readonly SourceDefinition[];
  readonly geometry: 'polygon' | 'line' | 'point';
  /** Attributes kept, by the name that the field has at its source now. */
  readonly fields: Readonly<Record<string, FieldDefinition>>;
  /** Filters by attribute value: a source feature that one of them matches is left out. */
  readonly drop?: readonly FieldFilter[];
  /** Area in which the data set knows the answer, unless the import manifest says otherwise. */
  readonly coverage: 'province' | 'features';
  /** Facts that are not confirmed, and their replacements. */
  readonly notes?: readonly string[];
  readonly answers: readonly AnswerDefinition[];
}

export type SourceDefinition = ArcgisSource | PackageSource | FileSource | CompositeSource;

interface SourceCommon {
  /** Who has seen the source as described here, or how certain the description is; null when it is inferred. */
  readonly confirmed: string | null;
}

/** A layer of an ArcGIS server. */
export interface ArcgisSource extends SourceCommon {
  readonly kind: 'arcgis';
  /** Path below the server's `rest/services`, for example `LIO_OPEN_DATA/LIO_Open06/MapServer`. */
  readonly service: string;
  /** All names that the layer is known by, the service's own first. */
  readonly names: readonly string[];
  /** The id that others have seen; ids change, so it is only a hint. */
  readonly layerIdHint: number | null;
  /** Root of the services; the province's when absent. */
  readonly server?: string;
  /** SQL condition on the source's fields; only features that fulfil it belong to the data set. */
  readonly where?: string;
  /** The service's field -> the definition's. */
  readonly rename?: Readonly<Record<string, string>>;
}

/** A file geodatabase of the province, zipped: `PACKAGES_ROOT/CODE.zip`. */
export interface PackageSource extends SourceCommon {
  readonly kind: 'package';
  readonly code: string;
  /** Names that the feature class may have; the first that exists is read. */
  readonly layer: readonly string[];
  /** OGR SQL condition, as for a file. */
  readonly where?: string;
  /** The package's field -> the definition's. */
  readonly rename?: Readonly<Record<string, string>>;
}

/** A GeoPackage, GeoJSON, Shapefile or FileGDB, zipped or not, at its own address. */
export interface FileSource extends SourceCommon {
  readonly kind: 'file';
  readonly url: string;
  readonly layer?: string;
  readonly where?: string;
  readonly crs?: string;
  /** The file's field -> the definition's. */
  readonly rename?: Readonly<Record<string, string>>;
}

/** Parts of several publishers, which together are one data set. */
export interface CompositeSource extends SourceCommon {
  readonly kind: 'composite';
  /** Kinds of parts that are features of the data set; a part of another kind must be off. */
  readonly accepts: readonly PartKind[];
  /** Fields of the data set that say which part a feature comes from. */
  readonly labels?: { readonly publisher?: string; readonly kind?: string; readonly asOf?: string };
  readonly parts: readonly SourcePart[];
}

/**
 * The kind of area that a part maps. A regulated area is not a flood hazard: it contains floodplains, but also
 * wetlands, valleys, and the land beside them, for which a permit is required.
 */
export type PartKind = 'floodplain' | 'shoreline_flood' | 'regulated_area';

/** One publisher's part of a composite data set. */
export interface SourcePart extends LayerPlace {
  readonly publisher: string;
  readonly kind: PartKind;
  /** Most features per request, where the server stalls on more. */
  readonly pageSize?: number;
  /** Null when nobody has read it. */
  readonly licence: { readonly id: string | null; readonly url: string | null };
  readonly attribution: string | null;
  /** The service's field -> the definition's. */
  readonly rename?: Readonly<Record<string, string>>;
  /** The definition's field -> its value for every feature of the part. */
  readonly constants?: Readonly<Record<string, string>>;
  /** YYYY-MM-DD; the service's edit date when absent. */
  readonly asOf?: string;
  readonly coverage: PartCoverage;
  /** True when it is fetched, otherwise the reason why not. */
  readonly use: true | { readonly off: string };
}

/** A layer of a publisher's own server. */
export interface LayerPlace {
  /** Root of the services. */
  readonly server: string;
  readonly service: string;
  /** As in `ArcgisSource`; empty when nobody has read them: then the id finds the layer. */
  readonly names: readonly string[];
  readonly layerIdHint: number | null;
}

/**
 * The area in which finding nothing means "no": in a conservation authority's area, by its name or number in the data
 * set `ca_admin_areas`; in the polygons of another layer; or nowhere (`positive_only`).
 */
export type PartCoverage = { readonly authority: string } | { readonly layer: LayerPlace } | 'positive_only';

/** The data set that holds the areas of conservation authorities. */
export const authorityAreas = 'ca_admin_areas';

export interface FieldDefinition {
  readonly type: 'string' | 'integer' | 'real';
  /** A source without a required field is refused; a missing optional field reads as null. */
  readonly required: boolean;
  /** Other names that the field has at its sources, in order. */
  readonly alternatives?: readonly string[];
}

export interface FieldFilter {
  readonly field: string;
  readonly values: readonly string[];
}

/** Distances in metres; the layer has no class that is missing here. */
export interface Bands {
  readonly regulated?: number;
  readonly adjacent?: number;
}

interface AnswerCommon {
  /** Place of the key in the response, ascending; no two answers have the same. */
  readonly order: number;
  /** Key in the response's `layers`. */
  readonly key: string;
  readonly title: string;
  readonly description: string;
  /** The same in French, for the page. */
  readonly french?: { readonly title: string; readonly description: string };
  readonly group: LayerGroup;
}

export type LayerGroup =
  | 'plans_and_policy'
  | 'hazards_and_water'
  | 'soil_and_agriculture'
  | 'nature'
  | 'administration'
  | 'industry_and_infrastructure';

export type AnswerDefinition = AnswerCommon &
  (BooleanAnswer | ValueAnswer | ObjectAnswer | ProximityAnswer | CountAnswer);

/** True inside or on a feature. */
export interface BooleanAnswer {
  readonly kind: 'boolean';
}

/** One attribute of the feature at the point, as text. */
export interface ValueAnswer {
  readonly kind: 'value';
  readonly field: string;
  /** Source value -> served value; a source value that is not listed makes the answer `unavailable`. */
  readonly codes?: Readonly<Record<string, string>>;
}

/** Several attributes of the feature at the point. */
export interface ObjectAnswer {
  readonly kind: 'object';
  readonly members: Readonly<Record<string, MemberDefinition>>;
}

export interface MemberDefinition {
  readonly description: string;
  readonly field: string;
  readonly as: 'string' | 'number';
  /** As in `ValueAnswer`. */
  readonly codes?: Readonly<Record<string, string>>;
  /** The whole answer is unavailable when this member has no value. */
  readonly required?: boolean;
}

/** The class of the distance to the nearest feature: inside, regulated, adjacent, outside. */
export interface ProximityAnswer {
  readonly kind: 'proximity';
  readonly bands: Bands;
  /**
   * A line or point within this distance counts as `inside`, in metres; for polygons the place must be in the polygon.
   */
  readonly insideWithinM?: number;
  /**
   * "outside" requires coverage of the whole outermost band around the place, not only of the place, because nothing is
   * known beyond the edge of the coverage. Where the coverage ends sooner, the answer is null unless a feature is
   * found.
   */
  readonly wholeBand?: boolean;
  /** Attributes of the feature that decides the class, for the evidence (`?detail=full`). */
  readonly deciding?: Readonly<Record<string, MemberDefinition>>;
  /** Other bands for features with one of these values. */
  readonly bandsFor?: readonly (FieldFilter & { readonly bands: Bands })[];
  /** The only features of this data set that count for the answer. */
  readonly only?: FieldFilter;
  /** Features of this data set that do not count for the answer. */
  readonly ignore?: FieldFilter;
  /** Other data sets whose features count too. They are optional: the layer answers without them. */
  readonly with?: readonly { readonly dataSet: string; readonly only?: FieldFilter; readonly ignore?: FieldFilter }[];
}

/** How many features lie within a radius, and what the nearest is. */
export interface CountAnswer {
  readonly kind: 'count';
  readonly radiusM: number;
  readonly members: {
    readonly count: string;
    readonly nearestDistanceM: string;
  };
  /** Attributes of the nearest feature, by response member. */
  readonly nearest: Readonly<Record<string, MemberDefinition>>;
}
