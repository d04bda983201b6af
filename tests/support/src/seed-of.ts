/**
 * Where a random test begins. An ordinary run judges the change before it, so it tries the same cases every time; with
 * `HOLDFAST_NIGHT=1` every run tries others.
 *
 * @param variable the environment variable that repeats a failed run
 * @returns the seed, for the test to print
 */
export function seedOf(variable: string): number {
  const given = process.env[variable]
  if (given !== undefined) return Number(given)
  return process.env['HOLDFAST_NIGHT'] === '1' ? Date.now() % 1_000_000_000 : 1
}
