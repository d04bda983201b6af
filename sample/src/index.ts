/** Northline Water, the sample project: its tables, policies, accounts and rows. */
export { SAMPLE_PASSWORD, sampleAccounts, type SampleAccount } from './accounts.ts'
export { seedSample, type SeedSampleOptions } from './seed.ts'
