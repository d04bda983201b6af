import fc from 'fast-check'
import { seedOf } from './seed-of.ts'

// Before every test file: properties without a seed of their own begin where `seedOf` says.
fc.configureGlobal({ seed: seedOf('HOLDFAST_SEED') })
