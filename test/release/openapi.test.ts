/** The OpenAPI document by all of Spectral's rules, which take long over its examples. */
import { expect } from 'chai';
import { document } from '../support/oracles/contract.ts';
import { spectralFindings } from '../support/oracles/spectral.ts';

describe('the OpenAPI document', function () {
  this.timeout(240_000);

  it("passes Spectral's rules for OpenAPI, also those of examples", async () => {
    // The program does not know who operates it.
    expect(await spectralFindings({ ...document }, { withExamples: true })).to.deep.equal(['info-contact at info']);
  });
});
