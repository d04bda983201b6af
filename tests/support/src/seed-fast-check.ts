import fc from 'fast-check'
import { seedOf } from './seed-of.ts'

// Before every test file: properties without a seed of their own begin where `seedOf` says. Those without a number of runs compute for milliseconds and keep
// fast-check's hundred; the others ask `runsOf`.
fc.configureGlobal({ seed: seedOf('HOLDFAST_SEED') })
