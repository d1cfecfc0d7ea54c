/**
 * fast-check with one seed in `make test`, so that a commit passes always or never. With ALL_INPUTS set (`make stress NAME=inputs`) it
 * draws new cases each time, and a failure prints their seed.
 */
import fc from 'fast-check';

if (process.env['ALL_INPUTS'] === undefined) fc.configureGlobal({ seed: 20_261_126 });

export default fc;
