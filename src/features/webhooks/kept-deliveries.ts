import type { KeptData } from '../../feature.ts';
import { forgetDeliveries, readDeliveries } from './holder-deliveries.ts';

/** Deliveries to the receivers of a customer, and receivers that get nothing more. */
export const keptDeliveries: KeptData = {
  noun: 'deliveries',
  *read(dataDir, { keyIds }) {
    const { deliveries, disabledReceivers } = readDeliveries(dataDir, keyIds);
    for (const delivery of deliveries) yield { delivery };
    for (const disabledReceiver of disabledReceivers) yield { disabledReceiver };
  },
  forget: (dataDir, { keyIds }) => forgetDeliveries(dataDir, keyIds),
};
