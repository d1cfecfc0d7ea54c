import { expect } from 'chai';
import type { Geocode } from '../../../src/messages/wire/geocode.ts';
import { lostNames } from '../../../src/features/geocoders/providers/nominatim.ts';
import type { ProviderName } from '../../../src/features/geocoders/settings.ts';
import { providers } from '../../../src/features/geocoders/geocoding.ts';
import { RemoteGeocoder } from '../../../src/features/geocoders/remote-geocoder.ts';
import { googleLakeShore, nominatimAnswers, photonAnswers } from './captured-answers.ts';
import { GeocoderServer } from '../../support/doubles/geocoder-server.ts';
import { shapes, type ProviderPlace } from '../../support/doubles/provider-answers.ts';

const names = Object.keys(providers) as ProviderName[];

const house = { number: '100', street: 'Queen Street West', at: [43.6536, -79.384] as const };

const cityHall: ProviderPlace = {
  ...{ ...house, neighbourhood: 'Financial District', former: 'Old Toronto' },
  ...{ city: 'Toronto', postalCode: 'M5H 2N2' },
};

/** Municipalities that became part of these cities in 1998 and 2001, by the laws that joined them. */
const amalgamated: Readonly<Record<string, readonly string[]>> = {
  Ottawa: ['Nepean', 'Kanata', 'Gloucester', 'Vanier', 'Cumberland', 'West Carleton'],
  Hamilton: ['Stoney Creek', 'Ancaster', 'Dundas', 'Flamborough', 'Glanbrook'],
  'Greater Sudbury': ['Sudbury', 'Valley East', 'Rayside-Balfour', 'Nickel Centre', 'Walden', 'Capreol'],
  'Chatham-Kent': ['Chatham', 'Wallaceburg', 'Blenheim'],
  'Kawartha Lakes': ['Lindsay', 'Fenelon Falls', 'Bobcaygeon'],
};

const amalgamatedParts = Object.entries(amalgamated).flatMap(([city, parts]) =>
  parts.map((part) => [city, part] as const),
);

describe('places of remote answers', () => {
  let server: GeocoderServer;
  before(async () => {
    server = await GeocoderServer.start();
  });
  after(() => server[Symbol.asyncDispose]());

  /** The geocode, or the reason of the refusal. */
  const ask = async (name: ProviderName, address: string, body: unknown): Promise<Geocode | string> => {
    server.reply = () => ({ body });
    const options = { provider: providers[name], baseUrl: server.url, key: null, timeoutMs: 120_000, ratePerS: 1000 };
    using geocoder = new RemoteGeocoder(options);
    const result = await geocoder.geocode(address);
    return 'found' in result ? result.found : result.refused.reason;
  };
  const expectFound = async (name: ProviderName, address: string, body: unknown, city?: string): Promise<void> => {
    const found = await ask(name, address, body);
    expect(found, `${name}: ${address}`).to.have.property('score').that.is.at.least(0.95);
    if (city !== undefined) expect(found, address).to.have.nested.property('components.censusSubdivision', city);
  };
  const expectRefused = async (name: ProviderName, address: string, body: unknown): Promise<void> => {
    expect(await ask(name, address, body), `${name}: ${address}`).to.equal('STREET_NOT_FOUND');
  };

  for (const name of names) {
    const answer = (place: ProviderPlace): unknown => shapes[name].answer([place]);

    describe(name, () => {
      it('finds City Hall by the city and by its former part, and says which city it is today', async () => {
        for (const place of ['Toronto', 'Old Toronto', 'old toronto, Toronto', 'City of Toronto']) {
          await expectFound(name, `100 Queen St W, ${place}`, answer(cityHall), 'Toronto');
        }
      });

      it('finds the former parts of Toronto by both names', async () => {
        for (const former of ['East York', 'Etobicoke', 'North York', 'Scarborough', 'York']) {
          const place = { ...cityHall, former };
          for (const asked of [former, 'Toronto']) {
            await expectFound(name, `100 Queen St W, ${asked}`, answer(place), 'Toronto');
          }
        }
      });

      it('does not find City Hall by the name of another place', async () => {
        for (const asked of ['North York', 'Scarborough', 'York', 'York Region', 'Ottawa', 'Financial District']) {
          await expectRefused(name, `100 Queen St W, ${asked}`, answer(cityHall));
        }
      });

      it('finds the former parts of other amalgamated cities by both names', async () => {
        for (const [city, part] of amalgamatedParts) {
          // As a suburb of the city, and as a municipality of the census division that the city is.
          for (const more of [
            { city, suburb: part },
            { city: part, county: city },
          ]) {
            const body = answer({ ...house, ...more });
            await expectFound(name, `100 Queen St W, ${part}`, body, city);
            await expectFound(name, `100 Queen St W, ${city}`, body, city);
            await expectRefused(name, `100 King St W, ${part}`, body);
            await expectRefused(name, `99 Queen St W, ${city}`, body);
            await expectRefused(name, '100 Queen St W, Toronto', body);
          }
        }
      });

      it('refuses a wrong street or number in City Hall and in the former parts', async () => {
        for (const former of ['Old Toronto', 'North York']) {
          for (const wrong of [
            '102 Queen St W',
            '100A Queen St W',
            '100 Queen St E',
            '100 King St W',
            '100 Queen Ave W',
          ]) {
            for (const asked of [former, 'Toronto']) {
              await expectRefused(name, `${wrong}, ${asked}`, answer({ ...cityHall, former }));
            }
          }
        }
      });

      it('does not take a county or region for the city of its name', async () => {
        const elsewhere = [
          { city: 'Newmarket', county: 'York Region', asked: ['York', 'York Region', 'Toronto'] },
          { city: 'Kitchener', county: 'Waterloo Region', asked: ['Waterloo', 'City of Waterloo'] },
          { city: 'Selwyn', county: 'Peterborough County', asked: ['Peterborough', 'County of Peterborough'] },
          { city: 'Stratford', county: 'Perth County', asked: ['Perth'] },
          { city: 'Brantford', county: 'Brant County', asked: ['Brant', 'County of Brant'] },
          { city: 'Espanola', county: 'Sudbury District', asked: ['Sudbury', 'Greater Sudbury'] },
          { city: 'Hamilton', county: 'Northumberland County', asked: ['Hamilton'] },
        ];
        for (const { city, county, asked } of elsewhere) {
          const place = {
            ...cityHall,
            former: undefined,
            postalCode: undefined,
            city,
            county,
          } as unknown as ProviderPlace;
          for (const one of asked) await expectRefused(name, `100 Queen St W, ${one}`, answer(place));
        }
      });

      it('finds a city in the county of its name', async () => {
        for (const [city, county] of [
          ['Peterborough', 'Peterborough County'],
          ['Waterloo', 'Waterloo Region'],
          ['Richmond Hill', 'York Region'],
        ] as const) {
          await expectFound(name, `100 Queen St W, ${city}`, answer({ ...house, city, county }), city);
        }
      });

      it('does not take a city for the county of its name', async () => {
        const body = answer({ ...house, city: 'Peterborough', county: 'Peterborough County' });
        await expectRefused(name, '100 Queen St W, County of Peterborough', body);
        await expectRefused(name, '100 Queen St W, Peterborough County', body);
        await expectFound(name, '100 Queen St W, Peterborough, County of Peterborough', body, 'Peterborough');
      });

      it('does not take a neighbourhood for the municipality of its name', async () => {
        const place = { ...cityHall, neighbourhood: 'Hamilton' };
        await expectRefused(name, '100 Queen St W, Hamilton', answer(place));
        await expectRefused(name, '100 Queen St W, Kingston', answer({ ...place, neighbourhood: 'Kingston' }));
      });

      it('says when a point is between two numbers', async () => {
        const found = await ask(name, '100 Queen St W, Toronto', answer({ ...cityHall, between: true }));
        expect(found).to.deep.include({ accuracy: 'interpolated', uncertaintyM: 150, score: 0.95 });
        expect(found).to.have.nested.property('faults[0].code', 'INTERPOLATED');
        expect(await ask(name, '100 Queen St W, Toronto', answer(cityHall))).to.include({ accuracy: 'building' });
      });
    });
  }

  describe('captured answers', () => {
    it('of Nominatim: City Hall and Scarborough, by both names', async () => {
      for (const asked of ['Toronto', 'Old Toronto', 'Toronto, Ontario M5H 2N2']) {
        await expectFound('nominatim', `100 Queen St W, ${asked}`, [nominatimAnswers.cityHall], 'Toronto');
      }
      for (const asked of ['Toronto', 'Scarborough']) {
        await expectFound('nominatim', `941 Progress Ave, ${asked}`, [nominatimAnswers.scarborough], 'Toronto');
      }
      for (const asked of ['Toronto', 'Old Toronto']) {
        await expectFound('nominatim', `290 Bremner Blvd, ${asked}`, [nominatimAnswers.tower], 'Toronto');
      }
      for (const wrong of ['100 Queen St E, Toronto', '101 Queen St W, Toronto', '100 Queen St W, North York']) {
        await expectRefused('nominatim', wrong, [nominatimAnswers.cityHall]);
      }
    });

    it('of Nominatim: a city in a region is not the region', async () => {
      await expectFound('nominatim', '123 Spruce Ave, Richmond Hill', [nominatimAnswers.richmondHill], 'Richmond Hill');
      await expectFound('nominatim', '123 Spruce Ave, Richmond Hill, York Region', [nominatimAnswers.richmondHill]);
      for (const asked of ['York', 'York Region', 'Toronto']) {
        await expectRefused('nominatim', `123 Spruce Ave, ${asked}`, [nominatimAnswers.richmondHill]);
      }
      await expectFound('nominatim', '12 Merchant Ave, Waterloo', [nominatimAnswers.waterloo], 'Waterloo');
      await expectRefused('nominatim', '12 Merchant Ave, Kitchener', [nominatimAnswers.waterloo]);
    });

    it('of Nominatim: a point on an interpolation line', async () => {
      const found = await ask('nominatim', '65 Liverpool St, Guelph', [nominatimAnswers.guelphBetween]);
      expect(found).to.include({ accuracy: 'interpolated', uncertaintyM: 150, score: 0.95 });
    });

    it('over the data that Photon reads: Old Toronto and North York, by both names', async () => {
      const features = (feature: object): object => ({ type: 'FeatureCollection', features: [feature] });
      for (const asked of ['Toronto', 'Old Toronto']) {
        await expectFound('photon', `1 King St W, ${asked}`, features(photonAnswers.kingStreet), 'Toronto');
      }
      for (const asked of ['Toronto', 'North York', 'Willowdale East, North York']) {
        const address = `60 Byng Ave, ${asked.replace('Willowdale East, ', '')}`;
        await expectFound('photon', address, features(photonAnswers.byngAvenue), 'Toronto');
      }
      await expectRefused('photon', '60 Byng Ave, Scarborough', features(photonAnswers.byngAvenue));
      await expectRefused('photon', '1 King St E, Toronto', features(photonAnswers.kingStreet));
    });

    it('of Google: Old Toronto, by both names', async () => {
      const body = { status: 'OK', results: [googleLakeShore] };
      for (const asked of ['Toronto', 'Old Toronto']) {
        await expectFound('google', `685 Lake Shore Blvd E, ${asked}`, body, 'Toronto');
      }
      await expectRefused('google', '685 Lake Shore Blvd W, Toronto', body);
      await expectRefused('google', '687 Lake Shore Blvd E, Toronto', body);
    });
  });

  describe('display_name of Nominatim', () => {
    /** City Hall with other names in `display_name`, and what `address` keeps of them. */
    const named = (displayName: string, address: object = {}): object[] => [
      {
        ...nominatimAnswers.cityHall,
        display_name: `${displayName}, Ontario, M5H 2N2, Canada`,
        address: { house_number: '100', road: 'Queen Street West', state: 'Ontario', ...address },
      },
    ];

    it('counts a name between the municipality and the county, as the larger of two municipalities', async () => {
      const body = named('100, Queen Street West, Old Toronto, Toronto', { city: 'Old Toronto' });
      await expectFound('nominatim', '100 Queen St W, Toronto', body, 'Toronto');
    });

    it('reads it when a label of `address` is missing there', async () => {
      const address = { city: 'Old Toronto', county: 'Golden Horseshoe' };
      const displayName = '100, Queen Street West, Old Toronto, Toronto';
      await expectFound('nominatim', '100 Queen St W, Toronto', named(displayName, address), 'Toronto');
      const kept = { ...address, road: 'Queen Street West', state: 'Ontario' };
      expect(lostNames(`${displayName}, Ontario, Canada`, kept).around).to.deep.equal(['Toronto']);
    });

    const notThere: Record<string, [displayName: string, address: object]> = {
      'the name of the building': ['Guelph, 100, Queen Street West, Elora', { town: 'Elora' }],
      'a neighbourhood that has lost its label': [
        '100, Queen Street West, Downtown, Guelph, Elora',
        { neighbourhood: 'Downtown', town: 'Elora' },
      ],
      'a neighbourhood': ['100, Queen Street West, Guelph, Elora', { neighbourhood: 'Guelph', town: 'Elora' }],
      'a suburb': ['100, Queen Street West, Guelph, Elora', { suburb: 'Guelph', town: 'Elora' }],
      'a county': ['100, Queen Street West, Elora, Guelph', { town: 'Elora', county: 'Guelph' }],
      'a larger region behind the county': [
        '100, Queen Street West, Elora, Wellington County, Guelph',
        { town: 'Elora', county: 'Wellington County' },
      ],
      'a name in an answer without a municipality': ['100, Queen Street West, Guelph', {}],
      'a name behind a street of another spelling': ['100, Queen St W, Elora, Guelph', { town: 'Elora' }],
      'part of a longer name': ['100, Queen Street West, Elora, Guelph Eramosa', { town: 'Elora' }],
    };
    for (const [what, [displayName, address]] of Object.entries(notThere)) {
      it(`does not count ${what}`, async () => {
        await expectRefused('nominatim', '100 Queen St W, Guelph', named(displayName, address));
      });
    }

    it('does not count the street', async () => {
      const body = named('100, York, Newmarket, York Region', {
        road: 'York',
        city: 'Newmarket',
        county: 'York Region',
      });
      await expectRefused('nominatim', '100 York, York', body);
      await expectFound('nominatim', '100 York, Newmarket', body);
    });
  });
});
