/** Answered rows as a table: what CSV and Parquet have in common, and GeoJSON in its properties. */
import type { Catalogue } from '../../../catalogue/catalogue.ts';
import { catalogueKindOf } from '../../../catalogue/kinds/kinds.ts';
import { problems, type ProblemCode } from '../../../messages/problems.ts';
import type { Schema } from '../../../schema.ts';
import type { AreaLookupBody } from '../../../messages/wire/area-lookup.ts';
import type { FullLookupBody } from '../../../messages/wire/full-lookup.ts';
import type { LayerValue, LookupBody } from '../../../messages/wire/lookup.ts';
import type { AnsweredRow } from './row.ts';
import type { MemberColumn } from '../../../core/http/answer-members.ts';

export type Cell = string | number | boolean | null;
export type ColumnType = 'boolean' | 'string' | 'integer' | 'number' | 'json';

/** An answered row whose body is parsed. */
export interface TableRow extends AnsweredRow {
  /** The answer for an address or a point; null when there is none. */
  readonly place: PlaceBody | null;
  /** The answer for an area; null when there is none. */
  readonly area: AreaLookupBody | null;
}

/** A plain or full answer. */
type PlaceBody = LookupBody & Partial<Pick<FullLookupBody, 'geocode' | 'evidence' | 'snapshot'>>;

/** How rows are written. */
export interface WriterOptions {
  readonly catalogue: Pick<Catalogue, 'answers'>;
  /** Of members that features add to the answers; absent: none. */
  readonly memberColumns?: readonly MemberColumn[];
  /** Statements that the licences of the data require wherever its answers go (docs/decisions/0082). */
  readonly attribution: readonly string[];
  /** Whether the ids of lookups are told. */
  readonly withLookupIds: boolean;
}

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly isRequired: boolean;
  readonly cell: (row: TableRow) => Cell;
}

export function tableRow(answered: AnsweredRow): TableRow {
  if (!answered.answer.ok) return { ...answered, place: null, area: null };
  const body = JSON.parse(answered.answer.value) as PlaceBody | AreaLookupBody;
  return 'areaM2' in body ? { ...answered, place: null, area: body } : { ...answered, place: body, area: null };
}

export function codeOf({ answer }: Pick<TableRow, 'answer'>): ProblemCode | null {
  return answer.ok ? null : answer.code;
}

export function statusOf({ answer }: Pick<TableRow, 'answer'>): number {
  return answer.ok ? 200 : problems[answer.code].status;
}

/**
 * Returns the columns of the table. The answer for an area does not fit into the columns of the layers, which are null in its row: it is the JSON of
 * the column `area`.
 */
export function tableColumns({
  catalogue,
  memberColumns = [],
  withLookupIds,
}: Omit<WriterOptions, 'attribution'>): readonly Column[] {
  return [
    required('row', ({ row }) => row),
    column('custom_id', 'string', ({ customId }) => customId),
    required('status', statusOf),
    column('code', 'string', codeOf),
    ...(withLookupIds ? [column('lookup_id', 'string', ({ lookupId = null }) => lookupId)] : []),
    column('address', 'string', ({ place }) => place?.address ?? null),
    column('lat', 'number', ({ place, area }) => (place ?? area)?.lat ?? null),
    column('lon', 'number', ({ place, area }) => (place ?? area)?.lon ?? null),
    ...layerColumns(catalogue),
    ...memberColumns.map(({ name, cell }) =>
      column(name, 'string', ({ place, area }) => (place ?? area) && cell(place ?? area)),
    ),
    column('area', 'json', ({ area }) => area && JSON.stringify(sharesOf(area))),
  ];
}

/** The answer for an area without the members that have columns of their own. */
function sharesOf({ areaM2, repaired, insideOntarioShare, layers }: AreaLookupBody): object {
  return { areaM2, repaired, insideOntarioShare, layers };
}

/** Returns the columns of the layers in the order of an answer: `greenbelt`, and for each member of an object `soil.cliClass`. */
export function layerColumns({ answers }: Pick<Catalogue, 'answers'>): readonly Column[] {
  return answers.flatMap(({ answer }): Column[] => {
    const { key } = answer;
    const { properties, type } = catalogueKindOf(answer).valueSchema(answer);
    if (properties === undefined) return [column(key, typeOf(type), ({ place }) => scalar(place?.layers[key]))];
    return Object.entries(properties as Readonly<Record<string, Schema>>).map(([member, schema]) =>
      column(`${key}.${member}`, typeOf(schema['type']), ({ place }) => memberOf(place?.layers[key], member)),
    );
  });
}

function scalar(value: LayerValue | undefined): Cell {
  return typeof value === 'object' ? null : (value ?? null);
}

function memberOf(value: LayerValue | undefined, member: string): Cell {
  return typeof value === 'object' && value !== null ? (value[member] ?? null) : null;
}

/** The type of a JSON Schema's values that are not null. */
function typeOf(type: unknown): ColumnType {
  return [type].flat().find((one) => one !== 'null') as ColumnType;
}

function column(name: string, type: ColumnType, cell: Column['cell']): Column {
  return { name, type, isRequired: false, cell };
}

function required(name: string, cell: Column['cell']): Column {
  return { name, type: 'integer', isRequired: true, cell };
}
