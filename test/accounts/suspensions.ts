/** Customers that are suspended and come back on two machines, or at a process alone: what is so afterwards, and the seconds that each change took. */
import { expect } from 'chai';
import { issueKey } from '../../src/core/keys/keys.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';
import { cliIn } from '../support/drivers/cli.ts';
import { commandHere } from '../support/drivers/command-here.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { SignupBrowser } from '../support/drivers/signup.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';

/** Seconds in which a change must have reached every machine. */
export const PROMISED_S = 10;

/** A customer whom the payment processor calls unpaid, and then paying. @returns seconds. */
export async function suspendByWebhook(withRedis: boolean): Promise<readonly number[]> {
  using folder = ownSampleFolder();
  using second = ownSampleFolder();
  await using processor = await StripeServer.start();
  await using redis = withRedis ? await RedisServer.start() : null;
  const env = { ...processor.signupEnv, TRUST_PROXY_HOPS: '1', ...(redis ? { REDIS_URL: redis.url } : {}) };
  await using one = await ServiceHere.start(folder.path, env, PATIENT_REDIS);
  await using other = withRedis ? await ServiceHere.start(second.path, env, PATIENT_REDIS) : null;
  const two = other ?? one;
  processor.sent.target = `${one.url}/webhooks/stripe`;
  const browser = new SignupBrowser(() => one.url, '10.1.1.1');
  await browser.pay((await browser.begin())!);
  const claimed = await browser.claim();
  expect(claimed?.state).to.equal('key');
  const { key } = claimed as { key: string };
  for (const service of [one, two]) await service.untilAnswered(key, SAMPLE_ADDRESS, 200);
  const [subscription] = processor.checkout.subscriptions.values();
  const took: number[] = [];
  for (const [status, answer] of [
    ['unpaid', 402],
    ['active', 200],
  ] as const) {
    processor.checkout.setStatus(subscription!.id, status);
    took.push(...(await Promise.all([one, two].map((service) => secondsUntil(service, key, answer)))));
  }
  const shown = (await commandHere(folder.path, env, 'customers', 'show', subscription!.customer)).stdout;
  expect(shown).to.contain('was suspended: the subscription is unpaid').and.to.contain('signed up');
  expect(await two.metrics()).to.contain('land_lookup_customers_suspended{cause="payment"} 0');
  if (redis !== null) {
    await using store = await openKeyStore({ dataDir: second.path, redisUrl: redis.url });
    expect(await issueKey(store, { name: 'other', customer: subscription!.customer })).to.have.property('key');
  }
  return took;
}

/** A customer whom the payment processor does not know, whom the operator resumes, and another that the operator suspends. @returns seconds. */
export async function suspendUnknown(withRedis: boolean): Promise<readonly number[]> {
  using folder = ownSampleFolder();
  using second = ownSampleFolder();
  await using processor = await StripeServer.start();
  await using redis = withRedis ? await RedisServer.start() : null;
  processor.unknownCustomers.add('cus_gone');
  const env = { ...processor.env, ...(redis ? { REDIS_URL: redis.url } : {}) };
  const gone = await newKey(folder.path, { customer: 'cus_gone' }, redis?.url ?? null);
  const good = await newKey(folder.path, { customer: 'cus_good' }, redis?.url ?? null);
  await using one = await ServiceHere.start(folder.path, env, PATIENT_REDIS);
  await using other = withRedis ? await ServiceHere.start(second.path, env, PATIENT_REDIS) : null;
  const two = other ?? one;
  expect((await two.lookup(gone, SAMPLE_ADDRESS)).status).to.equal(200);
  await secondsUntil(one, gone, 402);
  const took = [await secondsUntil(two, gone, 402)];
  await one.untilAnswered(good, SAMPLE_ADDRESS, 200);
  const command = async (...args: string[]): Promise<string> =>
    (await commandHere(folder.path, env, 'customers', ...args)).stdout;
  expect(await command('list')).to.match(/cus_gone +suspended +20\S+ +\d+ lookups rejected: 400: No such customer/);
  // Otherwise lookups that follow are rejected and suspend it again, perhaps before a process has seen the end of the suspension.
  processor.unknownCustomers.delete('cus_gone');
  expect(await command('resume', 'cus_gone')).to.contain('cus_gone  in force');
  took.push(await secondsUntil(two, gone, 200));
  expect(await command('suspend', 'cus_good', '--reason', 'unpaid')).to.contain('unpaid');
  took.push(await secondsUntil(one, good, 402));
  expect(await command('show', 'cus_good')).to.match(
    /^cus_good {2}suspended {2}.*unpaid\n[^]*key_[0-9a-f]{16} .* cus_good /,
  );
  const unknown = cliIn(folder.path, env, 'customers', 'show', 'cus_other');
  expect([unknown.status, unknown.stdout]).to.deep.equal([1, '']);
  expect(unknown.stderr).to.contain('cus_other');
  return took;
}

/** Asks until the answer has the status. @returns the seconds until then. */
async function secondsUntil(service: RunningService, key: string, status: number): Promise<number> {
  const startMs = performance.now();
  await service.untilAnswered(key, SAMPLE_ADDRESS, status);
  return (performance.now() - startMs) / 1000;
}
