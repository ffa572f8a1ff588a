import fc from 'fast-check'

// The suite tries the same random values each time, so that it has the same result each time. `npm run proofs` tries others, and more.
const { FAST_CHECK_SEED: seed = 20_261_116, FAST_CHECK_RUNS: numRuns } = process.env

fc.configureGlobal({ seed: Number(seed), ...(numRuns && { numRuns: Number(numRuns) }) })
