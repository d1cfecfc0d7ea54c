/** Objects of the payment processor as its API gives them, as far as sign-ups read them (types and descriptions of stripe 23.1.0). */

export interface PriceObject {
  id: string;
  object: 'price';
  active: boolean;
  billing_scheme: 'per_unit' | 'tiered';
  currency: string;
  livemode: boolean;
  recurring: {
    interval: string;
    interval_count: number;
    usage_type: 'metered' | 'licensed';
    meter: string | null;
  } | null;
  transform_quantity: { divide_by: number; round: string } | null;
  type: string;
  unit_amount: number | null;
  unit_amount_decimal: string | null;
}

export interface SessionObject {
  id: string;
  object: 'checkout.session';
  cancel_url: string;
  client_reference_id: string | null;
  created: number;
  customer: string | null;
  expires_at: number;
  livemode: boolean;
  metadata: Record<string, string>;
  mode: string;
  payment_method_collection: string;
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  status: 'open' | 'complete' | 'expired';
  subscription: string | null;
  success_url: string;
  custom_text: { submit: { message: string } };
  url: string | null;
  /** Not given out: what the session is about. */
  price: string;
}

export interface CustomerObject {
  id: string;
  object: 'customer';
  email: string;
  livemode: boolean;
  default_source: null;
  invoice_settings: { default_payment_method: string | null };
  deleted?: true;
}

export interface SubscriptionObject {
  id: string;
  object: 'subscription';
  created: number;
  customer: string;
  default_payment_method: string | null;
  default_source: null;
  livemode: boolean;
  metadata: Record<string, string>;
  status: string;
  items: { object: 'list'; data: { id: string; price: PriceObject }[]; has_more: boolean };
  cancellation_details: { comment: string | null } | null;
}

export interface InvoiceObject {
  id: string;
  object: 'invoice';
  customer: string;
  subscription: string;
  status: string;
  created: number;
}

/** The price of a lookup: ten cents by usage, each month. */
export function lookupPrice(id = 'price_lookup', livemode = false): PriceObject {
  return {
    ...{ id, object: 'price', active: true, billing_scheme: 'per_unit', currency: 'cad', livemode },
    recurring: { interval: 'month', interval_count: 1, usage_type: 'metered', meter: 'mtr_1' },
    ...{ transform_quantity: null, type: 'recurring', unit_amount: 10, unit_amount_decimal: '10' },
  };
}
