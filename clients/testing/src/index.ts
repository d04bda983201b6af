/** A complete Holdfast server for each test. */
export { openHoldfast } from './open-holdfast.ts'
export { TestingError } from './testing-error.ts'
export type { Duration, HoldfastOptions, TestHoldfast, TestUser, TestUserOptions } from './test-holdfast.ts'
export type { TestDevice } from './device.ts'
export type { TestMail, TestMessages, TestSms, WaitOptions } from './mails.ts'
export type { TestNetwork } from './network.ts'
