/** Rows of batches in the usage journal. */
import { expect } from 'chai';
import { Budget } from '../../../src/core/limits/budget.ts';
import { NO_LIMITS } from '../../../src/core/keys/key-store.ts';
import { RowBilling } from '../../../src/features/batches/row-billing.ts';
import { createBatchId } from '../../../src/features/batches/job.ts';
import { rowLookupId } from '../../../src/features/batches/results.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { openJournalHere } from '../../support/drivers/journal-here.ts';

const ALL = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

describe('Billing of rows', function () {
  this.timeout(240_000);
  const batch = createBatchId(Date.now(), 'a0a0a0a0');
  const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => rowLookupId(batch, i + 1));
  const payer = (budgetPerMonth: number | null) => ({
    job: { customer: 'cus_a' },
    key: { id: 'key_a', limits: { ...NO_LIMITS, budgetPerMonth } },
  });

  async function billingIn(dataDir: string) {
    const journal = await openJournalHere(dataDir);
    const billing = new RowBilling({ journal, budget: new Budget({ journalId: journal.id, redis: null }) });
    return { journal, billing, [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose]() };
  }

  it('gives ids that repeat for the same row, and differ between rows and batches', () => {
    expect(rowLookupId(batch, 7)).to.equal(rowLookupId(batch, 7));
    expect(new Set([...ids(1000), rowLookupId(createBatchId(Date.now(), 'a0a0a0a0'), 1)]).size).to.equal(1001);
    // The last digits as sha256sum computes them.
    expect(rowLookupId('bat_0192f3a1b2c300000000000000000000', 1)).to.equal('lkp_0192f3a1b2c38eb62e9a41b07f59a3e0');
  });

  it('records each row once, however often it is repeated, for the customer of the batch', async () => {
    using folder = temporaryFolder();
    await using of = await billingIn(folder.path);
    expect(await of.billing.bill(payer(null), ids(700))).to.equal(true);
    expect(await of.billing.bill(payer(null), ids(1000))).to.equal(true);
    const [row, ...others] = await of.journal.do('report', ALL);
    expect(others).to.deep.equal([]);
    expect(row).to.include({ keyId: 'key_a', customer: 'cus_a', lookups: 1000, pending: 1000 });
  });

  it('names the rows beyond the budget beforehand, and not those that are recorded', async () => {
    using folder = temporaryFolder();
    await using of = await billingIn(folder.path);
    expect([...(await of.billing.beyondBudget(payer(300), ids(400)))]).to.deep.equal(ids(400).slice(300));
    expect(await of.billing.bill(payer(300), ids(250))).to.equal(true);
    expect([...(await of.billing.beyondBudget(payer(300), ids(400)))]).to.deep.equal(ids(400).slice(300));
    expect([...(await of.billing.beyondBudget(payer(100), ids(400)))]).to.deep.equal(ids(400).slice(250));
    expect(await of.billing.beyondBudget(payer(null), ids(400))).to.deep.equal(new Set());
  });

  it('says when the budget was used up meanwhile, and records up to it', async () => {
    using folder = temporaryFolder();
    await using of = await billingIn(folder.path);
    expect(await of.billing.bill(payer(300), ids(400))).to.equal(false);
    expect((await of.journal.do('report', ALL))[0]).to.include({ lookups: 300 });
    expect([...(await of.billing.beyondBudget(payer(300), ids(400)))]).to.deep.equal(ids(400).slice(300));
  });
});
