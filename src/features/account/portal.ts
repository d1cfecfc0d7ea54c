import { answered, inJson } from '../../core/openapi/responses.ts';
import { AppError } from '../../messages/problems.ts';
import { portalSchema, type PortalBody } from '../../messages/wire/account.ts';
import { NOT_REPLACED, route } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-json.ts';
import { FREE, own, ownKey, spendRequest } from './own.ts';

export const openPortal = route({
  method: 'post',
  path: '/api/account/portal',
  key: own,
  // Its pages end subscriptions.
  changes: true,
  limits: [spendRequest],
  docs: {
    operationId: 'billingPortal',
    tag: 'account',
    summary: "Get a link to the payment processor's billing portal",
    description: `For invoices, payment methods and cancelling. ${FREE} ${NOT_REPLACED}`,
    schemas: { Portal: portalSchema },
    answers: {
      200: answered('The link.', inJson('Portal', { url: 'https://billing.example.com/p/session/test_0123' })),
    },
    failures: ['NOT_FOUND', 'CONFLICT'],
  },
  async handle({ services, res }) {
    const { billing } = services;
    const { customer } = ownKey(res);
    if (!billing) throw new AppError('NOT_FOUND', 'this service has no payment processor');
    if (customer === null)
      throw new AppError('CONFLICT', 'this key has no customer at the payment processor, so there are no invoices');
    sendJson(res, JSON.stringify({ url: await billing.portal.linkFor(customer) } satisfies PortalBody));
  },
});
