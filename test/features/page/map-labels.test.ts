import { expect } from 'chai';
import type { AddressNear } from '../../../src/messages/wire/near-geometry.ts';
import { webModule } from './web-module.ts';

interface Label {
  readonly properties: { readonly kind: string; readonly turn: number };
  readonly geometry: { readonly coordinates: readonly [number, number] };
}

const { addressSource } = (await webModule('map/map-labels.ts')) as {
  addressSource: (body: object) => { addresses: { data: { features: readonly Label[] } } };
};

const LAT = 44.1;
const LON = -79.4;
/** Degrees of longitude that are as long as a degree of latitude. */
const STRETCH = 1 / Math.cos((LAT * Math.PI) / 180);
const METRE = 1 / 111_120;

/** A number so many metres to the east and to the north. */
function at(number: number, east: number, north: number): AddressNear {
  const place = { lat: LAT + north * METRE, lon: LON + east * METRE * STRETCH };
  return { number: String(number), street: 'Elm Cres', ...place };
}

/** Where the name of the street is put, and its turn in whole degrees. */
function nameOf(addresses: readonly AddressNear[]): { at: AddressNear | undefined; turn: number } {
  const name = addressSource({ geometry: { addresses } }).addresses.data.features.find(
    ({ properties }) => properties.kind === 'street',
  )!;
  const [lon, lat] = name.geometry.coordinates;
  return {
    at: addresses.find((one) => one.lat === lat && one.lon === lon),
    turn: Math.round(name.properties.turn),
  };
}

describe('The name of a street on the map', () => {
  it('is on a crescent, and turned as it runs there', () => {
    // Nearly half a circle, with a number every 20 degrees.
    const crescent = Array.from({ length: 9 }, (_, i) => {
      const angle = ((i * 20 - 40) * Math.PI) / 180;
      return at(2 * i + 2, 100 * Math.cos(angle), 100 * Math.sin(angle));
    });
    expect(nameOf(crescent)).to.deep.equal({ at: crescent[4], turn: 50 });
  });

  it('runs along a street whose nearest numbers are on its other side', () => {
    // To the north-east, with lots wider than the street.
    const street = [-2, -1, 0, 1, 2].flatMap((i) => [
      at(2 * i + 10, 30 * i, 30 * i),
      at(2 * i + 11, 30 * i + 8, 30 * i - 8),
    ]);
    const { at: middle, turn } = nameOf(street);
    expect([['10', '11'].includes(middle!.number), turn]).to.deep.equal([true, -45]);
  });

  it('is level where the numbers are at one place', () => {
    expect(nameOf([at(1, 0, 0), at(3, 0, 0), at(5, 0, 0)]).turn).to.equal(0);
  });
});
