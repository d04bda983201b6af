export { openTestDatabase, type TestDatabase, type TestDatabaseOptions } from './open-test-database.ts'
export { runsOf, type RunsOptions } from './runs-of.ts'
export { seedOf } from './seed-of.ts'
export { BAD_FORMS, BAD_SCHEMA, BAD_TABLE, badPolicy, changeBadRow, shownOfBad } from './bad-policies.ts'
export { createRandom, type Random } from './random.ts'
export { CLASS_FORMS, LINK_FORMS, PERSON_FORMS, ROW_FORMS } from './policy-forms.ts'
export { AUTH_FUNCTIONS, GUARDS, ITEM_COLUMNS, policySchema, POLICY_USERS, roleUnlessThere } from './policy-schema.ts'
export {
  changeSchema,
  CLOCK_COLUMNS,
  CLOCK_SCHEMA,
  randomClockCondition,
  randomPeople,
  randomPolicies,
  type RandomPerson,
} from './random-policies.ts'
export {
  declareStream,
  randomStreams,
  randomWants,
  wantedCondition,
  type RandomStream,
  type RandomSubscription,
  type RandomWants,
} from './random-streams.ts'
export { changeRows, dropRandomTable, EMPTY_ALL, randomTable, type RandomTable } from './random-tables.ts'
export { shownRows } from './shown-rows.ts'
export { runHoldfast, SERVER_MAIN, startServer, type ServerProcess } from './server-process.ts'
export { openSmtpServer, type ReceivedMail, type TestSmtpServer } from './open-smtp-server.ts'
export { quietLogger } from './quiet-logger.ts'
export { openPackageServer, type PackageServer } from './package-server.ts'
export { openFunctionsWorld, type FunctionsWorld } from './functions-world.ts'
export { buildOfServer, copyFolder, copyInitializedFolder, ensureSharedFolder } from './initialized-folder.ts'
export { freePort } from './free-port.ts'
export { findDaemon } from './find-daemon.ts'
export { startHaproxy } from './haproxy.ts'
export { startNatsServer } from './nats-server.ts'
export { openHoldfast, SAMPLE_PASSWORD, type Holdfast, type HoldfastOptions } from './open-holdfast.ts'
export { databaseIn, openDevice, type DeviceAccount, type DeviceHome, type TestDevice } from './devices.ts'
export { differences } from './differences.ts'
export {
  findPostgresInstallations,
  openForeignPostgres,
  type ForeignPostgres,
  type PostgresInstallation,
} from './foreign-postgres.ts'
export { openFaultyLink, type FaultyLink, type LinkDirection } from './faulty-link.ts'
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
