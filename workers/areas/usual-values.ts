import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';

const texts = new WeakMap<object, string>();

/** Keeps the JSON of a value that most areas have for some layer, so that it is made and written once. */
export function usualValue(value: NonNullable<AreaValue>): AreaValue {
  texts.set(value, JSON.stringify(value));
  return Object.freeze(value);
}

/** Returns the JSON of every layer's value. */
export function layersJson(layers: Readonly<Record<string, AreaValue>>): string {
  let json = '{';
  // Keys need no escapes (layers/schema).
  for (const key in layers) json += `${json === '{' ? '' : ','}"${key}":${valueJson(layers[key] ?? null)}`;
  return `${json}}`;
}

function valueJson(value: AreaValue): string {
  return (value === null ? undefined : texts.get(value)) ?? JSON.stringify(value);
}
