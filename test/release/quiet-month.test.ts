/** The alert rules over a month in which all is well. */
import { expect } from 'chai';
import { MONTH_MIN, quietMonth } from '../service/quiet-month.ts';
import { replay } from '../service/promtool.ts';

describe('A quiet month', () => {
  it('raises no alert', () => {
    expect(replay([{ name: 'a quiet month', minutes: MONTH_MIN, series: quietMonth(), firing: [] }], 2)).to.equal('');
  });
});
