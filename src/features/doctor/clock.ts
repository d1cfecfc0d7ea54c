import { MINUTE_MS } from '../../messages/time.ts';
import { readableSnapshots } from '../../core/snapshots/current.ts';
import { completeBackups } from './backups.ts';
import { fault, good, unchecked, type Check, type Finding, type Installation } from './installation.ts';

/** Whether the time is right; the time zone does not matter. */
export const clockCheck: Check = {
  name: 'clock',
  run: (installation) => {
    const behind = behindTheData(installation);
    const { status, stdout, stderr } = installation.run('timedatectl', [
      'show',
      '--property=NTPSynchronized',
      '--value',
    ]);
    if (behind.length > 0) return behind;
    if (status === 0 && stdout.trim() === 'yes') return [good('is set by other clocks (NTP)')];
    if (status === 0)
      return [fault('no other clock sets this one (NTP)', 'sudo timedatectl set-ntp true; timedatectl')];
    const [why = ''] = stderr.trim().split('\n');
    return [
      unchecked(`whether other clocks set it: ${why === '' ? 'there is no timedatectl' : `timedatectl says "${why}"`}`),
    ];
  },
};

/** What was made later than now was made by a right clock, or by a wrong one: both matter. */
function behindTheData(installation: Installation): Finding[] {
  const { at, dataDir, nowMs } = installation;
  const times = [
    ...readableSnapshots(at(dataDir)).map(({ manifest }) => manifest.createdAt),
    ...completeBackups(installation).map(({ createdAt }) => createdAt),
  ];
  const newest = times.sort().at(-1);
  if (newest === undefined || Date.parse(newest) <= nowMs + 5 * MINUTE_MS) return [];
  const text = `it is ${new Date(nowMs).toISOString()}, but data or a backup was made ${newest}`;
  return [fault(text, 'sudo timedatectl set-ntp true; when the time is right: sudo land-lookup usage trust-clock')];
}
