import { isRecord, type JsonObject } from '@holdfast/foundation'

/** @throws {Error} when it is something else */
export function requireRecord(value: unknown): JsonObject {
  if (!isRecord(value)) throw new Error('the answer of the provider is no object')
  return value
}

/** @throws {Error} when it is something else */
export function requireRecords(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) throw new Error('the answer of the provider is no list')
  return value.filter(isRecord)
}

/** Texts as they are, whole numbers as texts: some providers count their people. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
}

/** @throws {Error} when the provider does not name the person */
export function requireSubject(value: unknown): string {
  const subject = textOf(value)
  if (subject === undefined || subject === '') throw new Error('the provider does not name the person')
  return subject
}
