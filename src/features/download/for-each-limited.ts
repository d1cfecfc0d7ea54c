/** Runs the work for every item, at most `limit` at a time; the first failure stops the rest and is thrown. */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = iterator.next(); next.done !== true && !failed; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: limit }, lane));
  const failure = lanes.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
