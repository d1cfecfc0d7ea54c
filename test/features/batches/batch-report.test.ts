/** The whole service: a batch over HTTP whose end is reported to the receiver that its client named. */
import { expect } from 'chai';
import { until } from '../../support/drivers/patience.ts';
import type { WebhookSecretBody } from '../../../src/features/webhooks/wire.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';
import { SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { verifyWebhook, WebhookReceiver } from '../../support/doubles/webhook-receiver.ts';

const ROWS = `custom_id,address\na,"${SAMPLE_ADDRESS.address}"\nb,"1 Nowhere Cres, Sampleton, ON"\n`;

describe('The end of a batch', function () {
  this.timeout(240_000);
  let receiver: WebhookReceiver;
  let service: KeyedService;
  before(async () => {
    receiver = await WebhookReceiver.start();
    service = await shareSampleService();
  });
  after(() => receiver[Symbol.asyncDispose]());

  function ask(path: string, method: 'GET' | 'POST', body: string | null = null): Promise<Response> {
    const headers = {
      authorization: `Bearer ${service.key}`,
      ...(body === null ? {} : { 'content-type': 'text/csv' }),
    };
    return fetch(`${service.url}/api/${path}`, { method, headers, body });
  }

  it('is reported to an allowed receiver, signed, as the batch reads at that time', async () => {
    const { secret } = (await (await ask('webhooks/secret', 'POST')).json()) as WebhookSecretBody;
    const accepted = await ask(`batches?callback_url=${encodeURIComponent(receiver.url('/ended'))}`, 'POST', ROWS);
    expect(accepted.status, await accepted.clone().text()).to.equal(202);
    const { id } = (await accepted.json()) as { id: string };
    let state = '';
    const isReported = async (): Promise<boolean> => {
      state = await (await ask(`batches/${id}`, 'GET')).text();
      state += await (await ask('webhooks/deliveries', 'GET')).text();
      return receiver.at('/ended').length > 0;
    };
    await until(isReported, 50, () => state);
    const [report] = receiver.at('/ended');
    expect(verifyWebhook(report!, secret)).to.equal(1);
    const told = JSON.parse(report!.body) as { type: string; data: unknown };
    expect(told.type).to.equal('batch.completed');
    expect(told.data).to.deep.equal(await (await ask(`batches/${id}`, 'GET')).json());
  });

  it('is never reported to a receiver inside the network that the operator has not allowed', async () => {
    const refused = await ask(`batches?callback_url=${encodeURIComponent('https://10.1.2.3/ended')}`, 'POST', ROWS);
    expect(refused.status).to.equal(400);
    expect(await refused.json()).to.include({ code: 'BAD_REQUEST' });
  });
});
