/** Words before the number of a box, a route or a bell, which may be written in one with it. */
export const deliveryWords: readonly string[] =
  'BOX BAG DRAWER CP RR SS MR SITE COMP COMPARTMENT GROUP GRP LCD RPO BUZZER BUZZ INTERCOM'.split(' ');
