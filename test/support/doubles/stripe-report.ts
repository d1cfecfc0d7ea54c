/** A report of the payment processor about events that it accepted and cannot use. */
export interface ErrorReportOptions {
  readonly code: string;
  readonly message: string;
  /** Where the report has the idempotency key: as the types of the client library say, or as the example of the guide has it. */
  readonly keyAs: 'identifier' | 'idempotency_key';
}

/** Gives the notification, which only points to the report, and the report itself. */
export function errorReport(
  id: string,
  events: readonly { readonly idempotencyKey: string }[],
  { code, message, keyAs }: ErrorReportOptions,
): { readonly notification: object; readonly event: object } {
  const notification = {
    ...{ id, object: 'v2.core.event', type: 'v1.billing.meter.error_report_triggered', livemode: false },
    created: new Date().toISOString(),
    related_object: { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' },
  };
  const sample_errors = events.map(({ idempotencyKey: key }) => ({
    error_message: message,
    request: keyAs === 'identifier' ? { identifier: key } : { id: 'req_1', idempotency_key: key },
  }));
  const data = {
    developer_message_summary: `There is ${events.length} invalid event`,
    reason: { error_count: events.length, error_types: [{ code, error_count: events.length, sample_errors }] },
  };
  return { notification, event: { ...notification, data } };
}
