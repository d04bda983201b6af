/** Northline Water, the sample project: its tables, policies, accounts and rows. */
export { SAMPLE_PASSWORD, sampleAccounts, type SampleAccount, WELCOMED_EMAIL } from './accounts.ts'
export { SAMPLE_PROJECT } from './project.ts'
export { storePictures, type StorageApi } from './pictures/store-pictures.ts'
export { SAMPLE_SEED, seedSample, type SeededSample, type SeedSampleOptions } from './seed.ts'
export { firstViewOf } from './views.ts'
