import { join } from 'node:path';
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

/** What was made later than now was made by a right clock, or by a wrong one: both matter, because the newest ones are kept, and an old one may seem new. */
function behindTheData(installation: Installation): Finding[] {
  const { at, dataDir, backupDir, nowMs } = installation;
  const made = [
    ...readableSnapshots(at(dataDir)).map(({ id, dir, manifest: { createdAt } }) => ({
      ...{ what: `snapshot ${id}`, createdAt },
      remedy: `sudo land-lookup snapshot use ANOTHER && sudo rm -r ${dir}`,
    })),
    ...completeBackups(installation).map(({ name, createdAt }) => ({
      ...{ what: `backup ${name}`, createdAt },
      remedy: `move ${join(backupDir, name)} to another folder`,
    })),
  ];
  const newest = made.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).at(-1);
  if (newest === undefined || Date.parse(newest.createdAt) <= nowMs + 5 * MINUTE_MS) return [];
  return [
    fault(
      `it is ${new Date(nowMs).toISOString()}, but the ${newest.what} was made ${newest.createdAt}`,
      `sudo timedatectl set-ntp true; when that changed the time: sudo land-lookup usage trust-clock; otherwise: ${newest.remedy}`,
    ),
  ];
}
