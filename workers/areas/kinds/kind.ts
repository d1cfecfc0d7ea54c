import type { AreaValue } from '../../../src/messages/wire/area-lookup.ts';
import type { AreaView } from '../area-view.ts';

/** Answers a layer of one kind for an area; null where nothing is known. The caller has checked that the snapshot holds the data set. */
export type AreaKind<A> = (view: AreaView, dataSet: string, answer: A) => AreaValue;
