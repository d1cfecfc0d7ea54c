import type Gdal from 'gdal-async';
import { optionalRow, type GazetteerStore } from '../engine/gazetteer/store.ts';
import { tables } from '../engine/gazetteer/tables.ts';
import { NameList } from './name-list.ts';
import { NumberRow } from './number-row.ts';
import { Suggester } from './suggester.ts';

/**
 * Reads the list of street names into one block that threads share; null when the register was imported before there
 * was one.
 */
export function readStreetNames(dataset: Gdal.Dataset): SharedArrayBuffer | null {
  if (!dataset.layers.map(({ name }) => name).includes(tables.prefixes)) return null;
  const row = optionalRow(dataset.layers.get(tables.prefixes).features, 1);
  if (row === null) return null;
  const shared = new SharedArrayBuffer(row.length);
  row.copy(new Uint8Array(shared));
  return shared;
}

/**
 * Returns null when the register was imported without a list of street names.
 * @throws Error when the list has another format.
 */
export function openSuggester(
  dataset: Gdal.Dataset,
  store: GazetteerStore,
  names = readStreetNames(dataset),
): Suggester | null {
  if (names === null) return null;
  const numbers = dataset.layers.get(tables.numbers).features;
  return new Suggester({
    store,
    list: new NameList(names),
    numbers: (civic) => new NumberRow(optionalRow(numbers, civic) ?? Buffer.alloc(0)),
  });
}
