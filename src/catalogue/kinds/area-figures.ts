/** Components of the API's document (src/messages/wire/area-lookup.ts) that the answers of a kind for areas are made of. */
import { reference } from '../../schema.ts';

export const shareOfArea = reference<number>('Share');
/** Part of every layer's value. */
export const unknownShare = reference<number>('UnknownShare');
export const distanceToArea = reference<number | null>('DistanceToArea');
export const shareByBand = reference<Record<string, number>>('ShareByBand');
