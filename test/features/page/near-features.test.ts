import { expect } from 'chai';
import type * as NearFeatures from '../../../web/map/near-features.ts';
import { webModule } from './web-module.ts';

const { circle, reachesOf } = (await webModule('map/near-features.ts')) as typeof NearFeatures;

const place = { lat: 44.3, lon: -79.3 };
type Feature = Parameters<typeof reachesOf>[0][number];
const feature = (dataSet: string, distanceM: number, geometry: Feature['geometry']): Feature => ({
  type: 'Feature',
  properties: { dataSet, label: null, distanceM },
  geometry,
});
const north = (lat: number): [number, number][] => [
  [-79.31, lat],
  [-79.29, lat],
];

describe('The line from a place to the nearest edge', () => {
  it('leads to the nearest feature of each data set, at a right angle', () => {
    const reaches = reachesOf(
      [
        feature('creek', 100, { type: 'LineString', coordinates: north(44.301) }),
        feature('well', 150, { type: 'Point', coordinates: [-79.3, 44.2985] }),
        feature('creek', 300, { type: 'LineString', coordinates: north(44.303) }),
      ],
      place,
      1000,
    );
    const to = new Map(reaches.map(({ dataSet, line }) => [dataSet, line[1]]));
    expect([...to.keys()].sort()).to.deep.equal(['creek', 'well']);
    expect(to.get('creek')![0]).to.be.closeTo(-79.3, 1e-6);
    expect(to.get('creek')![1]).to.be.closeTo(44.301, 1e-6);
    expect(to.get('well')).to.deep.equal([-79.3, 44.2985]);
  });

  it('leads nowhere where the place is in a feature that has no edge on the map', () => {
    const disc = { type: 'Polygon', coordinates: [circle(place, 1000)] } as Feature['geometry'];
    expect(reachesOf([feature('wide', 0, disc)], place, 1000)).to.deep.equal([]);
  });
});
