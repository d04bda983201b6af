export { openTestDatabase, type TestDatabase, type TestDatabaseOptions } from './open-test-database.ts'
export { seedOf } from './seed-of.ts'
export { quietLogger } from './quiet-logger.ts'
export { openHoldfast, SAMPLE_PASSWORD, type Holdfast, type HoldfastOptions } from './open-holdfast.ts'
export { openDevice, type DeviceAccount, type TestDevice } from './devices.ts'
export { differences } from './differences.ts'
export { openFaultyLink, type FaultyLink } from './faulty-link.ts'
export { appliedChanges, createNotes, type AppliedChange } from './notes.ts'
export { openPlainDevice, type PlainDevice } from './plain-device.ts'
export { askWriteCheckpoint, openRawStream, type RawStream, type WireRow } from './raw-stream.ts'
export { comparable, type ComparableRow } from './visible-rows.ts'
export {
  createSoftwareAuthenticator,
  type AssertionAnswer,
  type CreationOptions,
  type Deviations,
  type RegistrationAnswer,
  type RequestOptions,
  type SoftwareAuthenticator,
} from './software-authenticator.ts'
