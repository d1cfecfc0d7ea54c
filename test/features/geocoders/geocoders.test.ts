import { expect } from 'chai';
import type { ProviderName } from '../../../src/features/geocoders/settings.ts';
import { providers } from '../../../src/features/geocoders/geocoding.ts';
import { RemoteGeocoder } from '../../../src/features/geocoders/remote-geocoder.ts';
import { AppError } from '../../../src/messages/problems.ts';
import type { GeocodeResult } from '../../../src/messages/lookup.ts';
import { GeocoderServer, type Reply } from '../../support/doubles/geocoder-server.ts';
import { shapes, type ProviderPlace } from '../../support/doubles/provider-answers.ts';

const queenStreet: ProviderPlace = {
  ...{ number: '100', street: 'Queen Street West', city: 'Toronto', former: 'Old Toronto' },
  ...{ postalCode: 'M5H 2N2', at: [43.6534, -79.3839] as const },
};

const said = (result: GeocodeResult): string => ('found' in result ? result.found.address : result.refused.reason);

describe('remote geocoders', () => {
  let server: GeocoderServer;
  before(async () => {
    server = await GeocoderServer.start();
  });
  after(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    server.asked.length = 0;
  });

  type Options = ConstructorParameters<typeof RemoteGeocoder>[0];
  const options = (name: ProviderName, more: Partial<Options> = {}): Options => ({
    ...{
      provider: providers[name],
      baseUrl: server.url,
      key: 'secret-key',
      timeoutMs: 120_000,
      ratePerS: 1000,
      ...more,
    },
  });
  /** What a fresh geocoder says when the service gives these answers, one after the other. */
  const ask = async (name: ProviderName, address: string, ...replies: readonly Reply[]): Promise<GeocodeResult> => {
    server.reply = (call) => replies[Math.min(call, replies.length) - 1]!;
    using geocoder = new RemoteGeocoder(options(name));
    return await geocoder.geocode(address);
  };
  const failureOf = async (outcome: Promise<unknown>): Promise<AppError> => {
    const cause = await outcome.then(
      () => null,
      (error: unknown) => error,
    );
    if (!(cause instanceof AppError)) throw new Error(`expected an AppError, got ${String(cause)}`);
    return cause;
  };

  for (const name of Object.keys(providers) as ProviderName[]) {
    const { answer, approximate, failure, parameter } = shapes[name];
    const offer = (place: Partial<ProviderPlace>): Reply => ({ body: answer([{ ...queenStreet, ...place }]) });

    describe(name, () => {
      it('finds the civic point that was asked for', async () => {
        const result = await ask(name, '100 Queen St. W, toronto, ont.', { body: answer([queenStreet]) });
        expect(said(result)).to.match(/^100 Queen St W, Toronto, ON(?: M5H 2N2)?, Canada$/);
        expect(result).to.deep.nested.include({
          'found.lat': 43.6534,
          'found.lon': -79.3839,
          'found.accuracy': 'building',
          'found.source': name,
          'found.score': 1,
        });
        expect(server.asked[0]!.searchParams.get(parameter)).to.equal('100 Queen St. W, toronto, ont.');
      });

      it('takes the right one of several', async () => {
        const wrong = [
          { ...queenStreet, street: 'Queen Street East', at: [43.66, -79.35] as const },
          { ...queenStreet, number: '1000', at: [43.64, -79.41] as const },
        ];
        const result = await ask(name, '100 Queen St W, Toronto', { body: answer([...wrong, queenStreet]) });
        expect(result).to.have.nested.property('found.lon', -79.3839);
      });

      const others: Record<string, Partial<ProviderPlace>> = {
        'another street': { street: 'King Street West' },
        'a street of another type': { street: 'Queen Avenue West' },
        'another direction': { street: 'Queen Street East' },
        'a street without the direction': { street: 'Queen Street' },
        'another number': { number: '102' },
        'a number with a letter': { number: '100A' },
        'a range of numbers': { number: '98-104' },
        'another municipality': { city: 'Kingston', former: 'Sydenham' },
        'another postal area': { postalCode: 'K7L 1A1' },
      };
      for (const [what, place] of Object.entries(others)) {
        it(`does not believe an answer with ${what}`, async () => {
          const result = await ask(name, '100 Queen St W, Toronto, ON M5H 2N2', offer(place));
          expect(said(result)).to.equal('STREET_NOT_FOUND');
        });
      }

      it('does not take a street or a town for a civic point', async () => {
        expect(said(await ask(name, '100 Queen St W, Toronto', { body: approximate }))).to.equal('STREET_NOT_FOUND');
      });

      it('says "not found" to an empty answer, and "outside" to one from another province', async () => {
        expect(said(await ask(name, '100 Queen St W, Toronto', { body: answer([]) }))).to.equal('STREET_NOT_FOUND');
        const quebec = offer({ province: ['Quebec', 'QC'] });
        expect(said(await ask(name, '100 Queen St W, Toronto', quebec))).to.equal('OUT_OF_AREA');
      });

      it('does not choose between two places', async () => {
        const both = [queenStreet, { ...queenStreet, postalCode: 'M5H 2N3', at: [43.7, -79.4] as const }];
        expect(said(await ask(name, '100 Queen St W, Toronto', { body: answer(both) }))).to.equal('AMBIGUOUS');
      });

      const failures: Record<string, Reply> = {
        'status 500': { status: 500, body: failure },
        'status 429': { status: 429, body: failure },
        'an answer that breaks off': { body: answer([queenStreet]), isCut: true },
        'an answer that is not JSON': { body: '<html>Bad Gateway</html>' },
        'an answer of another form': { body: { results: 'none', candidates: 5, features: null } },
        'a failure in its own words': { status: name === 'nominatim' ? 500 : 200, body: failure },
      };
      for (const [what, reply] of Object.entries(failures)) {
        it(`asks again after ${what}, and gives up with 503 when it stays so`, async () => {
          const result = await ask(name, '100 Queen St W, Toronto', reply, { body: answer([queenStreet]) });
          expect(said(result)).to.match(/^100 Queen St W/);
          server.asked.length = 0;
          const error = await failureOf(ask(name, '100 Queen St W, Toronto', reply));
          expect([error.status, error.headers['Retry-After'], server.asked.length]).to.deep.equal([503, '1', 3]);
          expect(`${error.message} ${String(error.cause)}`).not.to.match(/queen|secret-key/i);
        });
      }

      it('gives up with 503 when no answer comes in time', async () => {
        server.reply = () => ({ delayMs: 1_000_000 });
        using geocoder = new RemoteGeocoder(options(name, { timeoutMs: 150 }));
        expect((await failureOf(geocoder.geocode('100 Queen St W, Toronto'))).status).to.equal(503);
      });

      it('asks only once what its terms allow to keep', async () => {
        server.reply = offer.bind(null, {});
        using geocoder = new RemoteGeocoder(options(name));
        await geocoder.geocode('100 Queen St W, Toronto');
        await geocoder.geocode('100 QUEEN ST W,  toronto');
        expect(server.asked).to.have.length(providers[name].mayCache ? 1 : 2);
      });
    });
  }

  it('does not ask at all for what is no address in Ontario', async () => {
    using geocoder = new RemoteGeocoder(options('nominatim'));
    const refusals: Record<string, string> = {
      'PO Box 40, Toronto': 'NON_CIVIC_ADDRESS',
      'Queen St W & Bay St, Toronto': 'INTERSECTION',
      'Queen St W, Toronto': 'CIVIC_NUMBER_REQUIRED',
      '100 Main St, Winnipeg MB': 'OUT_OF_AREA',
      '1 rue Notre-Dame Ouest, Montréal': 'OUT_OF_AREA',
      '100 Queen St W, Toronto H2X 1A1': 'OUT_OF_AREA',
    };
    for (const [address, reason] of Object.entries(refusals)) {
      expect(said(await geocoder.geocode(address)), address).to.equal(reason);
    }
    expect(server.asked).to.have.length(0);
  });

  it('says what differs, keeps the unit and knows a former municipality', async () => {
    const place = { ...queenStreet, between: true };
    const result = await ask('google', 'Suite 800, 100 Queen West, Old Toronto, M5H 2N1', {
      body: shapes.google.answer([place]),
    });
    expect(said(result)).to.equal('800-100 Queen St W, Old Toronto, ON M5H 2N2, Canada');
    expect(result).to.deep.nested.include({
      'found.accuracy': 'interpolated',
      'found.uncertaintyM': 150,
      'found.score': 0.9,
    });
    expect('found' in result && result.found.faults.map(({ code }) => code)).to.deep.equal([
      'TYPE_MISSING',
      'POSTAL_CODE_DIFFERS',
      'INTERPOLATED',
    ]);
  });

  it('leaves a provider alone that fails, and comes back to it', async () => {
    const states: string[] = [];
    const onState = (state: string): number => states.push(state);
    server.reply = () => ({ status: 500 });
    using geocoder = new RemoteGeocoder(options('photon', { restMs: 200, onState }));
    for (let i = 0; i < 5; i++) await failureOf(geocoder.geocode(`${i + 1} Queen St W, Toronto`));
    expect(states).to.deep.equal(['open']);
    const asked = server.asked.length;
    await failureOf(geocoder.geocode('100 Queen St W, Toronto'));
    expect(server.asked).to.have.length(asked);
    server.reply = () => ({ body: shapes.photon.answer([queenStreet]) });
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(said(await geocoder.geocode('100 Queen St W, Toronto'))).to.match(/^100 Queen/);
    expect(states).to.deep.equal(['open', 'halfOpen', 'close']);
  });

  it('does not ask again with a key that is refused', async () => {
    const denied: [ProviderName, Reply][] = [
      [
        'google',
        { body: { status: 'REQUEST_DENIED', error_message: 'The provided API key is invalid.', results: [] } },
      ],
      ['arcgis', { body: { error: { code: 498, message: 'Invalid Token' } } }],
      ['pelias', { status: 403, body: { geocoding: { errors: ['Not authorized'] } } }],
    ];
    for (const [name, reply] of denied) {
      server.asked.length = 0;
      expect((await failureOf(ask(name, '100 Queen St W, Toronto', reply))).status).to.equal(503);
      expect(server.asked, name).to.have.length(1);
    }
  });

  it('uses a connection again, and asks no faster than the provider allows', async () => {
    server.reply = () => ({ body: [] });
    using geocoder = new RemoteGeocoder(options('nominatim'));
    // The second may come before the first connection is free.
    for (let i = 1; i <= 2; i++) await geocoder.geocode(`${i} Queen St W, Toronto`);
    const before = server.connections;
    for (let i = 3; i <= 5; i++) await geocoder.geocode(`${i} Queen St W, Toronto`);
    expect(server.connections).to.equal(before);
    using slow = new RemoteGeocoder(options('nominatim', { ratePerS: 5 }));
    const start = performance.now();
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => slow.geocode(`${n} Queen St W, Toronto`)));
    // Five a second: the sixth and seventh wait for the next one.
    expect(performance.now() - start).to.be.above(900);
  });

  it('turns away at once those whose turn would come too late', async () => {
    server.reply = () => ({ body: [] });
    // Four are asked, sixteen wait for up to four seconds, four are too many.
    const states: string[] = [];
    const onState = (state: string): number => states.push(state);
    using geocoder = new RemoteGeocoder(options('nominatim', { ratePerS: 4, timeoutMs: 4000, onState }));
    const before = server.asked.length;
    const askedUntilThen: number[] = [];
    await Promise.allSettled(
      Array.from({ length: 24 }, (_, i) =>
        geocoder.geocode(`${i + 1} Queen St W, Toronto`).catch((cause: unknown) => {
          if (String(cause).includes('too many addresses wait')) askedUntilThen.push(server.asked.length - before);
        }),
      ),
    );
    expect(askedUntilThen).to.have.lengthOf(4);
    expect(Math.max(...askedUntilThen), 'most others still wait').to.be.below(12);
    // Its own limit is no failure of the provider.
    expect(states).to.deep.equal([]);
    const answer = await geocoder
      .geocode('99 Queen St W, Toronto')
      .catch(() => geocoder.geocode('99 Queen St W, Toronto'));
    expect(said(answer)).to.equal('STREET_NOT_FOUND');
  });
});
