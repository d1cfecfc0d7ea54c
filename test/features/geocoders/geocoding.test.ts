import { expect } from 'chai';
import { readConfig } from '../../../src/config.ts';
import { settingsOf } from '../../../src/core/settings/config.ts';
import { geocoderSettings } from '../../../src/features/geocoders/settings.ts';
import type { Environment } from '../../../src/core/settings/settings-reader.ts';
import type { LookupTask } from '../../../src/messages/lookup.ts';
import { openGeocoders } from '../../../src/features/geocoders/geocoding.ts';
import { AppError, unavailable } from '../../../src/messages/problems.ts';
import { GeocoderServer } from '../../support/doubles/geocoder-server.ts';
import { shapes } from '../../support/doubles/provider-answers.ts';
import { startSampleService, type SampleService } from '../../support/drivers/sample-service.ts';

/** Inside the bundled sample's province, on no street of its register. */
const far = { number: '7', street: 'Nowhere Road', city: 'Sampleton', at: [44.11, -78.61] as const };

const caller = { keyId: 'key', kind: 'plain', isGone: () => false } as const;

describe('GEOCODER', () => {
  let server: GeocoderServer;
  before(async () => {
    server = await GeocoderServer.start();
  });
  after(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    server.asked.length = 0;
    server.reply = () => ({ body: shapes.nominatim.answer([far]) });
  });

  describe('in front of a pool', () => {
    const refusals: Record<string, AppError> = {
      'no such street': new AppError('ADDRESS_NOT_FOUND', 'no', {
        extras: { reason: 'STREET_NOT_FOUND', suggestions: ['1 A St'] },
      }),
      'no such number': new AppError('ADDRESS_NOT_FOUND', 'no', {
        extras: { reason: 'CIVIC_NOT_ON_STREET', suggestions: [] },
      }),
      'two places': new AppError('ADDRESS_NOT_FOUND', 'two', { extras: { reason: 'AMBIGUOUS', suggestions: [] } }),
      'a post office box': new AppError('ADDRESS_NOT_FOUND', 'box', {
        extras: { reason: 'NON_CIVIC_ADDRESS', suggestions: [] },
      }),
      Quebec: new AppError('OUTSIDE_ONTARIO', 'Quebec', { extras: { reason: 'OUT_OF_AREA' } }),
      'a broken snapshot': unavailable('DATA_UNREADABLE', 'broken'),
    };
    const askLocal = { kind: 'address', address: '7 Nowhere Rd, Sampleton', full: false } as const;
    /** What reaches the pool, and how it ends, when the embedded geocoder refuses. */
    const run = async (order: string, refused: AppError): Promise<{ kinds: string[]; end: unknown }> => {
      const kinds: string[] = [];
      const lookup = (task: LookupTask) => {
        kinds.push(task.kind);
        return task.kind === 'address'
          ? Promise.reject(refused)
          : Promise.resolve({ json: '{}', geocodeMs: 0, layersMs: 0 });
      };
      const config = readConfig({ GEOCODER: order, GEOCODER_URL: server.url });
      using chain = openGeocoders({ lookup }, config);
      const end: unknown = await chain.lookup(askLocal, caller).catch((cause: unknown) => cause);
      return { kinds, end };
    };

    for (const [what, refused] of Object.entries(refusals)) {
      const isAsked = what.startsWith('no such');
      it(`${isAsked ? 'asks' : 'does not ask'} the second geocoder after ${what}`, async () => {
        const { kinds, end } = await run('local,nominatim', refused);
        expect(kinds).to.deep.equal(isAsked ? ['address', 'place'] : ['address']);
        expect(server.asked).to.have.length(isAsked ? 1 : 0);
        if (!isAsked) expect(end).to.equal(refused);
      });
    }

    it("gives the first one's refusal when neither knows the address, and 503 when the second is down", async () => {
      server.reply = () => ({ body: [] });
      expect((await run('local,nominatim', refusals['no such street']!)).end).to.equal(refusals['no such street']);
      server.reply = () => ({ status: 500 });
      const { end } = await run('local,nominatim', refusals['no such street']!);
      expect(end).to.be.instanceOf(AppError).with.property('code', 'DB_ERROR');
    });

    it('asks in the order given', async () => {
      expect((await run('nominatim,local', refusals['no such street']!)).kinds).to.deep.equal(['place']);
      server.reply = () => ({ body: [] });
      expect((await run('nominatim,local', refusals['no such street']!)).kinds).to.deep.equal(['address']);
      expect((await run('nominatim', refusals['no such street']!)).kinds).to.deep.equal([]);
    });

    it('lets everything else through', async () => {
      const seen: LookupTask[] = [];
      const lookup = (task: LookupTask) => {
        seen.push(task);
        return Promise.resolve({ json: '', geocodeMs: 0, layersMs: 0 });
      };
      using chain = openGeocoders({ lookup }, readConfig({ GEOCODER: 'nominatim', GEOCODER_URL: server.url }));
      await chain.lookup({ kind: 'point', lat: 44, lon: -79, full: false }, caller);
      expect(seen).to.have.length(1);
    });
  });

  describe('in the whole service', () => {
    let service: SampleService;
    before(async () => {
      service = await startSampleService({ env: { GEOCODER: 'local,nominatim', GEOCODER_URL: server.url } });
    });
    after(() => service[Symbol.asyncDispose]());
    const post = (address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${service.url}/api/lookup?detail=full`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ address }),
      });

    it('answers from the register without asking anybody', async () => {
      const body = (await (await post('12 Main St W, Sampleton, ON')).json()) as object;
      expect(body).to.have.nested.property('geocode.source', 'local');
      expect(server.asked).to.have.length(0);
    });

    it('answers at the point of the second geocoder what the register does not know', async () => {
      const body = (await (await post('7 Nowhere Rd, Sampleton, ON')).json()) as object;
      expect(body).to.deep.nested.include({
        lat: 44.11,
        lon: -78.61,
        'geocode.source': 'nominatim',
        'geocode.uncertaintyM': 120,
      });
      expect(body).to.have.nested.property('address', '7 Nowhere Rd, Sampleton, ON, Canada');
      expect(body).to.have.property('layers').with.property('greenbelt');
    });

    it("passes the caller's trace on to the second geocoder, with a part of its own, and begins none", async () => {
      server.traces.length = 0;
      server.reply = () => ({ body: [] });
      const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
      await post('21 Nowhere Rd, Sampleton, ON', { traceparent: `00-${trace}-${parent}-01` });
      await post('22 Nowhere Rd, Sampleton, ON', { traceparent: 'nonsense' });
      await post('23 Nowhere Rd, Sampleton, ON');
      const [passed, ...others] = server.traces;
      expect(passed).to.match(new RegExp(`^00-${trace}-(?!${parent})[0-9a-f]{16}-01$`));
      expect(others).to.deep.equal([undefined, undefined]);
    });

    it('answers 422 for a point outside Ontario, 503 when the provider is down', async () => {
      server.reply = () => ({ body: shapes.nominatim.answer([{ ...far, number: '8', at: [51, 0] }]) });
      expect((await post('8 Nowhere Rd, Sampleton, ON')).status).to.equal(422);
      server.reply = () => ({ status: 502, body: '<html>' });
      const down = await post('9 Nowhere Rd, Sampleton, ON');
      expect([down.status, down.headers.get('retry-after')]).to.deep.equal([503, '1']);
    });
  });

  describe('configured', () => {
    const refused: [Environment, RegExp][] = [
      [{ GEOCODER: 'bing' }, /GEOCODER must be one of local, nominatim/],
      [{ GEOCODER: 'local,local' }, /GEOCODER names a geocoder twice/],
      [{ GEOCODER: 'local,pelias,photon', GEOCODER_URL: 'http://localhost' }, /"local" and one other/],
      [{ GEOCODER: 'nominatim' }, /GEOCODER_URL must be/],
      [{ GEOCODER: 'photon', GEOCODER_URL: 'ftp://localhost' }, /GEOCODER_URL must be/],
      [{ GEOCODER: 'nominatim', GEOCODER_URL: 'https://nominatim.openstreetmap.org' }, /use your own instance/],
    ];
    for (const [env, message] of refused) {
      it(`refuses ${JSON.stringify(env)}`, () => {
        expect(() => readConfig({ GEOCODER_KEY: 'secret', ...env }))
          .to.throw(message)
          .with.property('message')
          .not.contain('secret');
      });
    }

    it("knows Google's own address", () => {
      const config = readConfig({ GEOCODER: 'local, google', GEOCODER_KEY: 'k', GEOCODER_RATE_PER_S: '50' });
      expect(config.geocoders).to.deep.equal(['local', 'google']);
      expect(settingsOf(config, geocoderSettings)).to.deep.equal({
        order: ['local', 'google'],
        remote: {
          ...{ provider: 'google', baseUrl: 'https://maps.googleapis.com/maps/api/geocode/', key: 'k' },
          ...{ timeoutMs: 1500, ratePerS: 50 },
        },
      });
    });
  });
});
