/** All sources over a month of quiet nights, and then one kind of trouble after the other, each with the night after it. */
import { expect } from 'chai';
import { troubles, WatchedProvince } from '../support/doubles/watched-province.ts';

describe('A watch over all sources', function () {
  this.timeout(600_000);

  it('says nothing in a quiet month, and each trouble the same night, and that it is over', async () => {
    await using watched = await WatchedProvince.start();
    for (let night = 0; night < 30; night++) {
      const { code, drifting, said } = await watched.night();
      expect({ code, drifting, said }, `night ${night}`).to.deep.equal({ code: 0, drifting: [], said: [] });
    }
    for (const { what, dataSet, finding, reason, change } of troubles) {
      change(watched);
      const troubled = await watched.night();
      expect([troubled.code, troubled.drifting.length, troubled.said.length], what).to.deep.equal([3, 1, 1]);
      expect(troubled.drifting[0], what).to.include({ dataSet, finding });
      expect(troubled.drifting[0]!.reason, what).to.match(reason);
      watched.makeSound();
      const back = await watched.night();
      expect([back.code, back.drifting], what).to.deep.equal([0, []]);
      expect(back.said.join(), what).to.match(new RegExp(`^sources: ${dataSet}, .*: is back, was ${finding} since `));
    }
  });
});
