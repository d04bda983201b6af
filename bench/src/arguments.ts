const given = process.argv.slice(2)

/** What the command line names: benchmarks, or `compare` with what follows it. */
export const names: readonly string[] = given.filter((argument) => !argument.startsWith('--'))

/** Options, as a run of another process is given them. */
export const options: readonly string[] = given.filter((argument) => argument.startsWith('--'))

/** @throws when its value is not a number above 0 */
export function numberOption(name: string, fallback: number): number {
  const text = options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3)
  const value = Number(text ?? fallback)
  if (!(value > 0)) throw new Error(`--${name} is a number above 0`)
  return value
}
