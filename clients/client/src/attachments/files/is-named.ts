/** Whether an error has one of these names. */
export function isNamed(error: unknown, ...names: readonly string[]): error is Error {
  return error instanceof Error && names.includes(error.name)
}
