import { beginJob, type Job } from '../snapshots/jobs.ts';
import { failureSentence } from './failure.ts';

/** Does the work of a job, and notes its begin, and how it ended. @throws what the work throws. */
export async function asJob<T>(dataDir: string, job: Job, work: () => T | Promise<T>): Promise<T> {
  const run = beginJob(dataDir, job);
  try {
    const result = await work();
    run.succeeded();
    return result;
  } catch (cause) {
    run.failed(failureSentence(cause));
    throw cause;
  }
}
