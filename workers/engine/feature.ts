/** The seam: what a feature may bring to a lookup thread. `workers/threads/features.ts` lists the features; the engine gets that list and knows no name. */
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { AnswerDefinition, DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';
import type { Geocode } from '../../src/messages/wire/geocode.ts';
import type { PointGeocode } from '../../src/messages/wire/point-lookup.ts';
import type { LayerEvidence } from '../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import type { Coordinate, LookupAnswer, LookupTask, PoolSnapshot } from '../../src/messages/lookup.ts';
import type { Outcome } from '../../src/messages/outcome.ts';
import type { ProjectedPoint } from '../geopackage/lambert.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import type { CellIndex } from './cells/open.ts';
import type { Gazetteer } from './gazetteer/open.ts';
import type { LayerAnswer } from './kinds/kind.ts';
import type { PlaceView } from './views/view.ts';

export interface ThreadFeature {
  /** As FEATURES names it. */
  readonly name: string;
  /** Reads, once for all threads of a pool, what they share of a snapshot; null when the snapshot has none. @throws Error that names the fault. */
  readonly share?: (snapshot: Snapshot) => SharedArrayBuffer | null;
  /** Opens in one thread what the feature needs of a snapshot beside what the engine has open. @throws Error that names the fault. */
  readonly open: (
    from: ServedSnapshot,
    given: Pick<Catalogue, 'answers' | 'further'> & {
      /** The result of `share`. */
      readonly shared: SharedArrayBuffer | null;
    },
  ) => Brought;
}

/** What a feature brings to the lookups in one snapshot. */
export interface Brought {
  readonly handlers?: Handlers;
  readonly writeGeometry?: WriteGeometry;
  readonly member?: MemberWriter;
  readonly writePlace?: WritePlace;
  /** Its part of the lookups by which a thread compiles its code before its first caller. */
  readonly warmUp?: () => void;
}

/** What answers the tasks, by their kind. */
export type Handlers = {
  readonly [Kind in LookupTask['kind']]?: (task: Extract<LookupTask, { readonly kind: Kind }>) => Outcome<LookupAnswer>;
};

/**
 * Writes `geometry` of an answer, a JSON object, for a map around a place. `radiusM`: ground metres, where the usual ones are not meant. `asked`: the further answers
 * that are asked for.
 */
export type WriteGeometry = (
  around: ProjectedPoint & Coordinate & { readonly radiusM?: number },
  what: 'near' | 'map',
  asked: Catalogue['answers'],
) => string;

/** Writes a member at the end of the answers of those who ask for it (`LookupDetail`). */
interface MemberWriter {
  /** Of the answer. It needs no escapes. */
  readonly name: string;
  /** Returns JSON. @param asked what the task says under the name of the feature. */
  readonly write: (asked: unknown, answered: Answered) => string;
}

/** Writes the body of a lookup that asks the feature instead of the layers (`LookupDetail.writer`), as JSON. */
type WritePlace = (place: { readonly view: PlaceView; readonly geocode: Geocode | PointGeocode }) => string;

/** What a lookup has found, for members of its answer. */
export type Answered = AnsweredPlace | AnsweredArea;

/** An address or a point. */
export interface AnsweredPlace {
  readonly kind: 'place';
  /** Under which the lookup is billed; undefined where it is not known, as in files that are looked up without a server. */
  readonly lookupId: string | undefined;
  /** The layers of the answer: those that everybody gets, then those that are asked for. */
  readonly answers: Catalogue['answers'];
  /** Largest error of the place, ground metres. */
  readonly uncertaintyM: number;
  /** What a layer of the answer says and what that rests on: found in the cells that are open already, and once. Null: the answer has no such layer. */
  layer(key: string): AnsweredLayer | null;
  readonly nearest: NearestOf;
}

export interface AnsweredLayer {
  readonly dataSet: DataSetDefinition;
  readonly answer: AnswerDefinition;
  readonly given: LayerAnswer;
  readonly evidence: LayerEvidence;
}

export interface AnsweredArea {
  readonly kind: 'area';
  readonly lookupId: string | undefined;
  readonly answers: Catalogue['answers'];
  /** The values of these layers, by key. */
  readonly values: Readonly<Record<string, AreaValue>>;
  readonly nearest: NearestOf;
}

/**
 * Tells how near the features of a layer are to a place or an area, whatever the bands of the layer. For other layers than those of distances `withinM` is 0, and nothing is
 * told of places. Null: the answer has no such layer, its data are not loaded, or the index does not have them so far out.
 * @param counts of an area, which values count; a feature whose value nobody knows always does.
 */
type NearestOf = (key: string, withinM: number, counts?: (value: LayerValue) => boolean) => Nearest | null;

/** Ground metres, as far as a place may be from where it is known to be. */
export interface Nearest {
  /** To the nearest feature that counts; Infinity: there is none within the distance that was asked for. */
  readonly countingM: number;
  /** To the nearest one of which nobody knows whether it counts. */
  readonly unclearM: number;
  /** Whether the data know all of the land within the distance, so that finding nothing means that there is nothing. */
  readonly isKnown: boolean;
}

/** The snapshot that a lookup thread has open, with its cell index and gazetteer if it has them, and what features bring. */
export interface ServedSnapshot extends Pick<PoolSnapshot, 'opening'> {
  readonly snapshot: Snapshot;
  readonly gazetteer: Gazetteer | null;
  readonly cells: CellIndex | null;
  /** Dates of the data sets, as JSON: the same in every answer; without those that further answers alone read. */
  readonly dataAsOfJson: string;
  /** The dates of those, by data set. */
  readonly furtherAsOf: ReadonlyMap<string, string>;
  /** Data set -> the last day that it tells of, for those whose source says so. */
  readonly sourceUntil: ReadonlyMap<string, string>;
  /** What answers say of the snapshot, as JSON. */
  readonly json: string;
  readonly handlers: Handlers;
  /** @throws TypeError where no feature of the thread writes any: nobody can ask for it then. */
  readonly writeGeometry: WriteGeometry;
  /** By the names of the features. */
  readonly members: ReadonlyMap<string, MemberWriter>;
  /** By the names of the features. */
  readonly writers: ReadonlyMap<string, WritePlace>;
  readonly warmUps: readonly (() => void)[];
}
