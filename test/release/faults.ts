/** Faults of one line in the program, and the tests that must fail over them. `planted-faults.ts` plants them. */

export interface Fault {
  readonly id: string;
  /** The file that has the line. */
  readonly file: string;
  /** What is in the file exactly once. */
  readonly find: string;
  /** What the fault puts in its place. */
  readonly fault: string;
  /** What the fault would cost. */
  readonly why: string;
  /** The file with a test that must fail. */
  readonly test: string;
  /** Part of the title of the tests to run; missing: all of the file. */
  readonly title?: string;
}

/** Returns the text of a file with the fault in it; null when its line is not there exactly once. */
export function plant({ find, fault }: Pick<Fault, 'find' | 'fault'>, text: string): string | null {
  const parts = text.split(find);
  return parts.length === 2 ? parts.join(fault) : null;
}

const money: readonly Fault[] = [
  {
    id: 'unit-kept-after-503',
    file: 'src/core/lookup/metered-lookup.ts',
    find: 'if (spending) request.onQuota(await spending.giveBack());',
    fault: 'if (spending) request.onQuota(spending.state);',
    why: 'A failure of the service would use up the limit of the key.',
    test: 'test/service/http-lookup.test.ts',
    title: 'gives the unit back',
  },
  {
    id: 'not-found-is-billed',
    file: 'src/core/lookup/metered-lookup.ts',
    find: 'const { status, code } = AppError.from(cause);',
    fault:
      "const { status, code } = AppError.from(cause); if (!isRecording && status < 500) await this.#record(request, attempt, 'null');",
    why: 'A customer would pay for a lookup that found nothing.',
    test: 'test/accounts/key-limits.test.ts',
    title: 'count only what is billed',
  },
  {
    id: 'claim-under-way-taken',
    file: 'workers/journal/answer-table.ts',
    find: "if (nowMs - row.atMs <= claim.attemptMs) return { kind: 'under way' };",
    fault: "if (nowMs < row.atMs) return { kind: 'under way' };",
    why: 'Two requests with one Idempotency-Key that come together would both be looked up.',
    test: 'test/accounts/idempotency.test.ts',
    title: 'come together',
  },
  {
    id: 'other-request-answered',
    file: 'workers/journal/answer-table.ts',
    find: "if (row.requestHash !== claim.requestHash) return { kind: 'other request' };",
    fault: '',
    why: 'An Idempotency-Key that is used again for another address would get the answer of the first.',
    test: 'test/accounts/idempotency.test.ts',
    title: 'refuses another request',
  },
  {
    id: 'budget-one-too-many',
    file: 'workers/journal/usage-table.ts',
    find: 'if (mostOfMonth === null || lookups < mostOfMonth) {',
    fault: 'if (mostOfMonth === null || lookups <= mostOfMonth) {',
    why: 'A key would be billed for one lookup more than its monthly budget.',
    test: 'test/accounts/key-limits.test.ts',
    title: 'hold its monthly budget',
  },
  {
    id: 'limit-that-refuses-nobody',
    file: 'src/core/limits/quota.ts',
    find: 'used = limit + points',
    fault: 'used = limit',
    why: 'Machines that share a Redis would let a key look up without end.',
    test: 'test/accounts/quota.test.ts',
    title: 'grants exactly the limit',
  },
  {
    id: 'identifier-of-each-attempt',
    file: 'src/core/billing/send-event.ts',
    find: 'identifier: identifierOf(event),',
    fault: 'identifier: createIdempotencyKey(event),',
    why: 'The payment processor would count a lookup again when its event is sent again.',
    test: 'test/accounts/billing.test.ts',
    title: 'survives random faults',
  },
  {
    id: 'suspended-customer-served',
    file: 'src/core/http/key.ts',
    find: 'if (!key.isSuspended || takesSuspended) return;',
    fault: 'if (!key.isSuspended || !takesSuspended) return;',
    why: 'A customer that does not pay would go on looking up.',
    test: 'test/accounts/suspension.test.ts',
    title: 'answers 402 before anything else',
  },
  {
    id: 'change-without-transaction',
    file: 'src/core/keys/key-store.ts',
    find: 'const asking = asker ? await this.#asking(read, asker) : null;',
    fault: 'const asking = asker ? await this.findById(asker.keyId) : null;',
    why: 'Who has a stolen key could prolong it after its owner has ended it.',
    test: 'test/accounts/changed-meanwhile.test.ts',
    title: 'between the first look at it and the write',
  },
  {
    id: 'restore-revives',
    file: 'src/features/backup/carry-over.ts',
    find: 'const revokedAt = backup.revokedAt ?? now.revokedAt;',
    fault: 'const { revokedAt } = backup;',
    why: 'A key that was revoked would be valid again after a restore.',
    test: 'test/accounts/restored-keys.test.ts',
    title: 'leaves ended what was ended since the backup',
  },
  {
    id: 'each-counts-alone',
    file: 'src/core/open-accounts.ts',
    find: 'const countsAlone = redis ? null : opened.use(countAlone(config));',
    fault: 'const countsAlone = null;',
    why: 'Two processes without Redis would grant each limit twice.',
    test: 'test/service/one-process.test.ts',
    title: 'is served by one process',
  },
  {
    id: 'shown-before-billed',
    file: 'src/features/batches/batch-store.ts',
    find: 'await bill();',
    fault: 'await onDisk(() => this.#chunks.show(chunk, answers, counts)); await bill();',
    why: 'The answers of a batch could be downloaded although they could not be billed.',
    test: 'test/features/batches/machine-store.test.ts',
    title: 'could not be billed',
  },
  {
    id: 'elsewhere-as-gone',
    file: 'src/features/batches/routes/batches.ts',
    find: 'requireHere(id, store);',
    fault: 'void requireHere;',
    why: 'A client would take a batch of another machine for lost, send its file again, and pay twice.',
    test: 'test/features/batches/elsewhere.test.ts',
    title: 'gets 503 with the mark',
  },
  {
    id: 'lost-chunk-stored',
    file: 'src/features/batches/store/chunk-queue.ts',
    find: '`UPDATE chunk SET lease_ends_ms = ? WHERE batch_id = ? AND idx = ? AND lease = ? AND state = 1`',
    fault: '`UPDATE chunk SET lease_ends_ms = ? WHERE batch_id = ? AND idx = ? AND (lease = ? OR 1) AND state = 1`',
    why: 'A process that was silent would store its answers over those of the one that has the rows now.',
    test: 'test/features/batches/machine-store.test.ts',
    title: 'when its lease ends',
  },
  {
    id: 'lease-not-renewed',
    file: 'src/features/batches/chunk-work.ts',
    find: 'const isOurs = await store.renew(chunk);',
    fault: 'const isOurs = await Promise.resolve(true);',
    why: 'Rows that take longer than a lease would be answered again and again, by one process after another.',
    test: 'test/unit/lease.test.ts',
  },
];

const access: readonly Fault[] = [
  {
    id: 'replaced-secret-lives-on',
    file: 'src/core/keys/keys.ts',
    find: 'expiresAt: earlier(secret.expiresAt, overlapEnd)',
    fault: 'expiresAt: secret.expiresAt',
    why: 'A secret that leaked would stay valid after the key was given another one.',
    test: 'test/accounts/keys.test.ts',
    title: 'rotate with an overlap',
  },
  {
    id: 'revoked-key-accepted',
    file: 'src/core/keys/keys.ts',
    find: 'return revokedAt === null && !isPast(expiresAt);',
    fault: 'return !isPast(expiresAt);',
    why: 'A revoked key would go on working.',
    test: 'test/service/http-lookup.test.ts',
    title: 'a revoked key',
  },
  {
    id: 'body-before-key',
    file: 'src/core/http/lookup-route.ts',
    find: 'const key = await requireKey(services, res);',
    fault: 'await readJson(services, res, body); const key = await requireKey(services, res);',
    why: 'Anybody without a key could make the service read and check bodies.',
    test: 'test/service/http-lookup.test.ts',
    title: 'looks at the key before the body',
  },
  {
    id: 'body-twice-as-large',
    file: 'src/core/http/read-body.ts',
    find: 'if (length + chunk.length > mostBytes) throw tooLarge(mostBytes, mostOfRoute);',
    fault: 'if (length + chunk.length > 2 * mostBytes) throw tooLarge(mostBytes, mostOfRoute);',
    why: 'A body without a length could be larger than the bound that the memory is planned for.',
    test: 'test/service/early-refusals.test.ts',
    title: 'refuses one without a length',
  },
  {
    id: 'all-requests-at-once',
    file: 'src/core/http/connections.ts',
    find: 'if (connection.isBusy) connection.waiting = exchange;',
    fault: 'if (connection.isEnding) connection.waiting = exchange;',
    why: 'A client without a key could hold up everybody with requests that it sends at once on a connection.',
    test: 'test/service/turns.test.ts',
    title: 'are answered in their order',
  },
  {
    id: 'downloads-without-a-place',
    file: 'src/features/batches/routes/results.ts',
    find: 'takesPlace: asDownload,',
    fault: '...(typeof asDownload === "string" ? { takesPlace: asDownload } : {}),',
    why: 'A customer could fill the memory with downloads that it does not read.',
    test: 'test/service/long-answers.test.ts',
    title: 'have a place among few',
  },
  {
    id: 'refused-for-nothing',
    file: 'src/core/http/lookup-route.ts',
    find: 'refusedRequests.check(key.id);',
    fault: '',
    why: 'A key could send bodies without end that cost much to read and are refused.',
    test: 'test/service/refused-requests.test.ts',
    title: 'gets 429 before its next body is read: a body that is not valid',
  },
  {
    id: 'private-address-reached',
    file: 'src/core/outbound/guarded-connector.ts',
    find: 'const allowed = wanted.filter(({ address }) => allows(host, address));',
    fault: 'const allowed = wanted;',
    why: "A webhook could reach machines inside the operator's network.",
    test: 'test/features/webhooks/callback-url.test.ts',
    title: 'whatever a name resolves to',
  },
  {
    id: 'signature-of-another-time',
    file: 'src/features/webhooks/delivery-sender.ts',
    find: 'new Webhook(secret).sign(id, at, body)',
    fault: 'new Webhook(secret).sign(id, new Date(0), body)',
    why: 'No receiver could tell our webhooks from forged ones.',
    test: 'test/features/webhooks/deliveries.test.ts',
    title: 'are signed so that',
  },
];

const answers: readonly Fault[] = [
  {
    id: 'no-coverage-is-no',
    file: 'workers/engine/kinds/kind.ts',
    find: 'return view.covers(dataSet, withinM) ? no : notCovered;',
    fault: 'return view.covers(dataSet, withinM) ? no : no;',
    why: 'Land that the data do not know would be answered with "no".',
    test: 'test/unit/answers.test.ts',
    title: 'never says no outside',
  },
  {
    id: 'unknown-value-is-no',
    file: 'workers/engine/kinds/at-place.ts',
    find: 'given = value === null ? unknownHere',
    fault: 'given = value === null ? nothing',
    why: 'A feature whose value is not known would be answered with "no".',
    test: 'test/unit/answers.test.ts',
    title: 'whose code or text says nothing',
  },
  {
    id: 'edge-of-a-band-outside',
    file: 'workers/engine/kinds/class-by-distance.ts',
    find: "if (hit.distanceM <= (bands.regulated ?? 0)) return 'regulated';",
    fault: "if (hit.distanceM < (bands.regulated ?? 0)) return 'regulated';",
    why: 'A place exactly as far from a lake as the rule says would not be regulated.',
    test: 'test/unit/answers.test.ts',
    title: 'beside two lakes',
  },
  {
    id: 'near-boundary-not-told',
    file: 'workers/engine/answers/evidence.ts',
    find: 'boundaryDistanceM <= uncertaintyM',
    fault: 'boundaryDistanceM < uncertaintyM / 2',
    why: 'An answer that the error of the position can turn round would look certain.',
    test: 'test/unit/answers.test.ts',
    title: 'whether the uncertainty reaches there',
  },
  {
    id: 'doubtful-place-accepted',
    file: 'src/addresses/faults.ts',
    find: 'export const ACCEPTED_SCORE = 0.85;',
    fault: 'export const ACCEPTED_SCORE = 0.5;',
    why: 'An address would be answered for a place that its words contradict.',
    test: 'test/unit/civic-match.test.ts',
    title: 'too much speaks against it',
  },
  {
    id: 'outside-ontario-answered',
    file: 'workers/engine/answers/place-lookups.ts',
    find: "if (view.near('province', 0).length === 0) return",
    fault: "if (view.near('province', 0).length < 0) return",
    why: 'A place in Quebec or in the lake would be answered as if the data knew it.',
    test: 'test/service/point-answers.test.ts',
    title: 'refuses places outside Ontario',
  },
];

const data: readonly Fault[] = [
  {
    id: 'loss-of-features-accepted',
    file: 'workers/import/import-data-set.ts',
    find: 'const MOST_LOST = 0.05;',
    fault: 'const MOST_LOST = 0.5;',
    why: 'A source that lost nearly half of its features would be imported, and its land answered with "no".',
    test: 'test/import/import-downloads.test.ts',
    title: 'lost more than 5 %',
  },
  {
    id: 'repairs-counted-wrong',
    file: 'workers/import/features/prepare-batch.ts',
    find: 'repaired += Number(prepared.repaired);',
    fault: 'repaired += Number(!prepared.repaired);',
    why: 'The report of an import would not say how much of a source was broken.',
    test: 'test/import/import-geometry.test.ts',
    title: 'bow-tie',
  },
  {
    id: 'wrong-projection-accepted',
    file: 'workers/import/sources/load-features.ts',
    find: 'if (misplaced <= read * MOST_OUTSIDE) return;',
    fault: 'if (misplaced <= read) return;',
    why: 'A file that is read in the wrong projection would be imported as features that lie nowhere.',
    test: 'test/import/import-snapshots.test.ts',
    title: 'with --partial hold',
  },
  {
    id: 'lock-that-locks-nobody-out',
    file: 'src/core/files/lock.ts',
    find: "lock.exec('BEGIN EXCLUSIVE');",
    fault: "lock.exec('BEGIN');",
    why: 'Two imports at once would build one snapshot of two.',
    test: 'test/import/import-snapshots.test.ts',
    title: 'one import at a time',
  },
  {
    id: 'damaged-snapshot-served',
    file: 'src/core/pool/snapshot-service.ts',
    find: 'snapshotDir: dir, verify: true',
    fault: 'snapshotDir: dir, verify: false',
    why: 'A file that changed on the disk would be answered from.',
    test: 'test/service/snapshot-swap.test.ts',
    title: 'does not start when',
  },
  {
    id: 'needed-snapshot-deleted',
    file: 'src/commands/snapshot.ts',
    find: '...readNeeded(dataDir), wayBack(all), ',
    fault: 'wayBack(all), ',
    why: 'Pruning would delete the snapshot that a batch is answered from.',
    test: 'test/features/batches/runner-snapshots.test.ts',
    title: 'is kept from pruning',
  },
  {
    id: 'small-losses-forgotten',
    file: 'src/features/sources/judge.ts',
    find: 'featureCount: Math.max(base.featureCount, featureCount)',
    fault: 'featureCount',
    why: 'A source that loses a few features each night would never be said to have lost any.',
    test: 'test/features/sources/judge.test.ts',
    title: 'in small steps',
  },
];

const load: readonly Fault[] = [
  {
    id: 'deadline-not-kept',
    file: 'src/core/pool/lookup-pool.ts',
    find: 'before(this.#counted(asked, kind), leftMs, tooLate)',
    fault: 'before(this.#counted(asked, kind), leftMs * 1000, tooLate)',
    why: 'A client would wait for a thread that hangs.',
    test: 'test/service/hanging-thread.test.ts',
  },
  {
    id: 'busiest-key-first',
    file: 'src/core/pool/lane.ts',
    find: 'account.usedMs < next.usedMs',
    fault: 'account.usedMs > next.usedMs',
    why: 'One key with many lookups would keep all others waiting.',
    test: 'test/unit/lane.test.ts',
  },
  {
    id: 'success-ahead-believed',
    file: 'src/core/snapshots/jobs.ts',
    find: 'ms > Date.now() + AHEAD_MS',
    fault: 'ms > Infinity',
    why: 'After a clock that was a year ahead, no alert would tell for a year that backups have stopped.',
    test: 'test/unit/jobs.test.ts',
    title: 'lies ahead',
  },
];

export const faults: readonly Fault[] = [...money, ...access, ...answers, ...data, ...load];
