/**
 * How many inputs, or kills, or old versions a test tries of `all`: a quarter unless `few` says another number, and with ALL_INPUTS set
 * (`make stress NAME=inputs`, which is part of `make release`) all of them.
 */
export const inputs = (all: number, few = Math.ceil(all / 4)): number =>
  process.env['ALL_INPUTS'] === undefined ? few : all;
