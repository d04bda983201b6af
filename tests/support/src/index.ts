export { openTestDatabase, type TestDatabase, type TestDatabaseOptions } from './open-test-database.ts'
export { openHoldfast, SAMPLE_PASSWORD, type Holdfast, type HoldfastOptions } from './open-holdfast.ts'
export { openDevice, type DeviceAccount, type TestDevice } from './devices.ts'
export type { ComparableRow } from './visible-rows.ts'
