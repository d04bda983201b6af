import type { UploadOperation, UploadRow } from './upload.ts'

/**
 * How the server's guarded values of a record differ from those on the device only because of the device's own writes: a trigger incremented a version, a
 * default was applied. Later changes based on the same values are not conflicts.
 */
export interface GuardBase {
  /** Values on the device. */
  readonly was: UploadRow
  /** Values on the server. */
  readonly now: UploadRow
}

/**
 * Returns the operation with its previous values replaced by those that result from the device's own earlier writes. Other values stay, because they may be
 * conflicts.
 */
export function rebaseGuards(operation: UploadOperation, base: GuardBase | undefined): UploadOperation {
  if (!base || !operation.old) return operation
  const old = Object.fromEntries(
    Object.entries(operation.old).map(([column, value]) => {
      const now = base.now[column]
      return [column, now !== undefined && (base.was[column] ?? null) === value ? now : value]
    }),
  )
  return { ...operation, old }
}

/**
 * Returns the base for changes that follow an applied operation.
 *
 * @param operation - as the device made it, before rebasing
 * @param now - the server's values of the guarded columns after it
 */
export function nextGuardBase(operation: UploadOperation, before: GuardBase | undefined, now: UploadRow): GuardBase {
  const was = { ...before?.was, ...operation.old, ...operation.data }
  return { was: Object.fromEntries(Object.keys(now).map((column) => [column, was[column] ?? null])), now }
}
