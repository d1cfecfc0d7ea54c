/** A program that hangs ends its test by name. */
import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { endedAfter } from '../support/drivers/longest-wait.ts';

describe('A program that a test starts and waits for', () => {
  for (const [name, run] of Object.entries({ spawnSync, execFileSync }))
    it(`is ended when it hangs, and ${name} says which it was`, () => {
      const limited = endedAfter(100, run);
      expect(() => limited('sleep', ['3600'])).to.throw(/sleep.*(did not end within 0.1 s|ETIMEDOUT)/);
    });

  it('has this limit in each test', () => {
    expect([spawnSync.name, execFileSync.name]).to.deep.equal(['limited', 'limited']);
  });
});
