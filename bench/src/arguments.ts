const given = process.argv.slice(2)

/** The words of the command line: benchmarks, or `compare` and its arguments. */
export const names: readonly string[] = given.filter((argument) => !argument.startsWith('--'))

/** The options of the command line, to be passed on to the process of another run. */
export const options: readonly string[] = given.filter((argument) => argument.startsWith('--'))

/** @returns the value of `--name=value`; `undefined` without one */
export function textOption(name: string): string | undefined {
  return options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3)
}

/** @throws when its value is not a number above 0 */
export function numberOption(name: string, fallback: number): number {
  const value = Number(textOption(name) ?? fallback)
  if (!(value > 0)) throw new Error(`--${name} is a number above 0`)
  return value
}
