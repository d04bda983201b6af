/**
 * Why a table cannot be followed, in words for the operator. Thrown inside the compiler and caught once per table; it never leaves the package.
 *
 * `role`: only the role at hand cannot read the table at all (a missing grant), so only that role goes without it.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly scope: 'table' | 'role'

  constructor(reason: string, scope: 'table' | 'role' = 'table') {
    // The compiler tries several readings of most policies; the stack of those that fail is a large part of its time.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(reason)
    Error.stackTraceLimit = stackTraceLimit
    this.scope = scope
  }
}

/** @throws {Refusal} of the whole table, with this reason */
export function refuse(reason: string): never {
  throw new Refusal(reason)
}
