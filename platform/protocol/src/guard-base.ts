import type { UploadOperation, UploadRow } from './upload.ts'

/**
 * How far the server's guarded values of a record are ahead of what the device still shows, by the device's own writes alone: a trigger has counted
 * up a version, a default has been set. Later changes made on the same sight are not conflicts.
 */
export interface GuardBase {
  /** What the device shows. */
  readonly was: UploadRow
  /** What the server has. */
  readonly now: UploadRow
}

/** The operation with the previous values that the server's row has by the device's own earlier writes. Other values stay: they may be conflicts. */
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
 * The base for what follows an applied operation.
 *
 * @param operation - as the device made it, before it was rebased
 * @param now - the server's values of the guarded columns after it
 */
export function nextGuardBase(operation: UploadOperation, before: GuardBase | undefined, now: UploadRow): GuardBase {
  const was = { ...before?.was, ...operation.old, ...operation.data }
  return { was: Object.fromEntries(Object.keys(now).map((column) => [column, was[column] ?? null])), now }
}
