/**
 * An answer as a part of a link: as it was given, compressed, without the features of its map. It is stored nowhere but in the link, which browsers
 * send to no server. Or one that was saved as a file. Nothing proves who made it.
 */
import { MOST_LETTERS, type AreaGeometry } from '../shared/area.ts';
import type { AnswerBody, AreaBody, Body } from '../shared/api.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';
import type { Question } from '../shared/question.ts';
import type { DataSetDescription, LayersBody as Catalogue } from '../../src/messages/wire/layers.ts';

/** `registerAsOf` null: not known. */
export type SharedAnswer = Omit<GivenAnswer, 'catalogue'> & { snapshotId: string; registerAsOf: string | null };

/** An answer is some 10 kB. A text that unpacks to more is none of ours. */
const MOST_BYTES = 200_000;

const KINDS = new Set(['address', 'point', 'area']);

/** Returns an answer as text; null when it would be too long for a link. */
export async function answerText({ question, body, givenAt, catalogue }: GivenAnswer) {
  const shared: Omit<SharedAnswer, 'body'> & { body: object } = {
    question,
    givenAt,
    body: { ...body, geometry: undefined, rules: undefined },
    snapshotId: catalogue.snapshot.id,
    registerAsOf: catalogue.addresses?.asOf ?? '',
  };
  const packed = new Blob([JSON.stringify(shared)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  if (bytes.length > MOST_LETTERS) return null;
  const text = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  return text.length > MOST_LETTERS ? null : text;
}

/** Reads such a text; null when it is none. Whoever made the link may have written anything into it. */
export async function answerInText(text: string): Promise<SharedAnswer | null> {
  if (text.length > MOST_LETTERS) return null;
  try {
    const shared = JSON.parse(await unpacked(text)) as SharedAnswer;
    const { question, body, givenAt, snapshotId, registerAsOf } = shared;
    const isSound =
      KINDS.has(question.kind) &&
      Number.isFinite(givenAt) &&
      [snapshotId, registerAsOf].every((member) => typeof member === 'string');
    return isSound ? { question, body, givenAt, snapshotId, registerAsOf } : null;
  } catch {
    return null;
  }
}

/** Reads a file with an answer; null where it is none, or lacks the outline of its parcel. */
export async function answerInFile(file: Blob): Promise<SharedAnswer | null> {
  try {
    const body = JSON.parse(await file.text()) as AnswerBody;
    const question = questionOf(body);
    const { id: snapshotId = '', createdAt = '' } = body.snapshot ?? {};
    const givenAt = Date.parse(createdAt);
    return question && Number.isFinite(givenAt) ? { question, body, givenAt, snapshotId, registerAsOf: null } : null;
  } catch {
    return null;
  }
}

function questionOf(body: AnswerBody): Question | null {
  if ('areaM2' in body) {
    const geometry = (body as AreaBody).geometry?.area as AreaGeometry | undefined;
    return geometry ? { kind: 'area', geometry } : null;
  }
  const { address, lat, lon, geocode } = body as Body;
  if (geocode.accuracy === 'point') return { kind: 'point', lat, lon, uncertaintyM: geocode.uncertaintyM };
  return address === null ? null : { kind: 'address', address };
}

async function unpacked(text: string) {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder();
  let [json, length] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return json + decoder.decode();
    length += value.length;
    if (length > MOST_BYTES) throw new Error('too long');
    json += decoder.decode(value, { stream: true });
  }
}

/** The catalogue of this service with the dates of a shared answer: its texts and links are ours, and those of the answer nobody knows. */
export function datedAs(catalogue: Catalogue, { body, snapshotId, registerAsOf }: SharedAnswer): Catalogue {
  const { addresses } = catalogue;
  return {
    snapshot: { ...catalogue.snapshot, id: snapshotId },
    addresses: addresses && { ...addresses, asOf: registerAsOf ?? addresses.asOf },
    layers: catalogue.layers.map((layer) => ({ ...layer, dataSets: layer.dataSets.map((one) => datedSet(one, body)) })),
  };
}

function datedSet(dataSet: DataSetDescription, { dataAsOf }: SharedAnswer['body']): DataSetDescription {
  const asOf = dataAsOf[dataSet.id] ?? null;
  if (asOf === dataSet.asOf) return dataSet;
  return { ...dataSet, asOf, state: asOf === null ? 'not_loaded' : 'loaded', sourceUntil: null };
}
