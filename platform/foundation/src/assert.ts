/** A bug in Holdfast: an invariant was violated. Rendered as a 500 with an id and logged in full. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** @throws {AssertionError} when `condition` is falsy */
export function assert(condition: unknown, reason: string): asserts condition {
  if (!condition) throw new AssertionError(reason)
}

/** Marks the branch of an exhaustive `switch` that the types rule out. */
export function unreachable(value: never): never {
  throw new AssertionError(`unexpected value ${JSON.stringify(value)}`)
}

/** @throws {AssertionError} when `value` is null or undefined */
export function defined<T>(value: T | null | undefined, reason: string): T {
  if (value === null || value === undefined) throw new AssertionError(reason)
  return value
}
