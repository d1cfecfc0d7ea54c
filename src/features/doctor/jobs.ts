import { readJobs, type Job } from '../../core/snapshots/jobs.ts';
import { good, unchecked, warning, type Check } from './check.ts';

/** What shows how a job went. */
const LOGS: Readonly<Record<Job, string>> = {
  ...{ refresh: 'land-lookup-refresh', address_refresh: 'land-lookup-refresh', follow: 'land-lookup-follow' },
  ...{ prune: 'land-lookup-refresh', backup: 'land-lookup-backup', reconcile: 'land-lookup-reconcile' },
  sources: 'land-lookup-sources',
};

/** Whether the last run of each job succeeded, as the jobs themselves note it. Their age is what alerts look at. */
export const jobsCheck: Check = {
  name: 'jobs',
  run: ({ dataDir, at }) => {
    const known = readJobs(at(dataDir), at('/etc/systemd/system')).filter(({ begunAt }) => begunAt !== null);
    if (known.length === 0) return [unchecked('no job has run here')];
    const failed = known.flatMap(({ job, failed, succeededAt }) => {
      if (failed === null || failed.at <= (succeededAt ?? '')) return [];
      return [warning(`${job} failed at ${failed.at}: ${failed.why}`, `journalctl -u ${LOGS[job]} -n 50`)];
    });
    return failed.length > 0
      ? failed
      : [good(`the last run of each succeeded: ${known.map(({ job }) => job).join(', ')}`)];
  },
};
