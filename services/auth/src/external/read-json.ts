import { isRecord, type JsonObject } from '@holdfast/foundation'

/** @throws {Error} unless the value is an object */
export function requireRecord(value: unknown): JsonObject {
  if (!isRecord(value)) throw new Error('the answer of the provider is no object')
  return value
}

/** @throws {Error} unless the value is an array */
export function requireRecords(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) throw new Error('the answer of the provider is no list')
  return value.filter(isRecord)
}

/** Returns strings, and integers as strings, because some providers use numeric ids. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
}

/** @throws {Error} if the provider does not name the user */
export function requireSubject(value: unknown): string {
  const subject = textOf(value)
  if (subject === undefined || subject === '') throw new Error('the provider does not name the person')
  return subject
}
