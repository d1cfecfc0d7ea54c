import { expect } from 'chai';
import { inputs } from '../../support/drivers/inputs.ts';
import { killDuringSignups } from '../../support/drivers/signup-kills.ts';

describe('Sign-ups while the process is killed', function () {
  this.timeout(400_000);

  it('leave no key without customer, and no customer without key or cancelled subscription', async () => {
    const { faults, filled } = await killDuringSignups({ kills: inputs(3, 1), seed: 7, people: 3 });
    expect(faults).to.deep.equal([]);
    expect(filled).to.be.above(0);
  });
});
