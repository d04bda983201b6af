/**
 * Why a table cannot be compiled, for the operator. Thrown inside the compiler and caught once per table; never leaves the package.
 *
 * `role`: only this role cannot read the table (a missing grant), so only it is excluded.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly scope: 'table' | 'role'

  constructor(reason: string, scope: 'table' | 'role' = 'table') {
    // The compiler tries several interpretations per policy; capturing stacks of failed ones would take much of its time.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(reason)
    Error.stackTraceLimit = stackTraceLimit
    this.scope = scope
  }
}

/** @throws {Refusal} for the whole table */
export function refuse(reason: string): never {
  throw new Refusal(reason)
}
