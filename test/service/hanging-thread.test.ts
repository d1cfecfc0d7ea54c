/** A lookup that hangs in its thread, in seconds. `test/release/hanging-thread.test.ts` has it hang in each of the ways that there are. */
import { expect } from 'chai';
import { HangingService } from '../support/drivers/hanging-service.ts';

/** Ten of the shortest looks at a thread take five seconds. */
const DEADLINE_MS = 500;

describe('a lookup that hangs', function () {
  this.timeout(240_000);

  it('gets 503 at its deadline, has its thread replaced after ten, and keeps no process alive', async () => {
    await using service = await HangingService.start(DEADLINE_MS);
    // The thread is still in it: the answer does not wait for that.
    const { headers } = await service.hangOne(() => service.plain());
    expect(headers.get('retry-after')).to.match(/^\d+$/);
    expect(await service.replaced()).to.deep.equal(['TOO_LATE']);
    expect(service.replacements).to.have.length(1);
    await service.process.stop();
  });
});
