/** The alert rules, by Prometheus' own program: each fires for its fault, and for nothing less. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { alertCases, furtherCases } from './alert-cases.ts';
import { replay, type Replay } from './promtool.ts';

describe('Alerts', function () {
  this.timeout(240_000);

  it('have a case each', () => {
    const rules = readFileSync(join(projectDir, 'deploy', 'monitoring', 'alerts.yml'), 'utf8').matchAll(
      /- alert: (\w+)/g,
    );
    expect(Object.keys(alertCases)).to.have.members([...rules].map(([, name]) => name));
  });

  it('fire for the fault that they are for, and no other does', () => {
    const cases = Object.entries(alertCases).map(([alert, { minutes, raised }]) => [alert, minutes, raised] as const);
    const raised = [...cases, ...furtherCases];
    expectReplays(raised.map(([name, minutes, series]) => ({ name, minutes, series, firing: [name] })));
  });

  it('do not fire for what is just below', () => {
    const cases = Object.entries(alertCases);
    expectReplays(cases.map(([name, { minutes, spared: series }]) => ({ name, minutes, series, firing: [] })));
  });
});

/** The rules of what lasts for hours are evaluated less often, because evaluations are what takes time. */
function expectReplays(replays: readonly Replay[]): void {
  const isLong = ({ minutes }: Replay): boolean => minutes > 60;
  const short = replays.filter((one) => !isLong(one));
  expect(replay(short) + replay(replays.filter(isLong), 5)).to.equal('');
}
