/** How many inputs, or kills, a test tries of `all`: a quarter, and with ALL_INPUTS set (`make stress NAME=inputs`) all of them. */
export const inputs = (all: number): number => (process.env['ALL_INPUTS'] === undefined ? Math.ceil(all / 4) : all);
