/** Whether a browser threw an error of this name. */
export function isNamed(error: unknown, ...names: readonly string[]): error is Error {
  return error instanceof Error && names.includes(error.name)
}
