import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'
import type { Config } from '../config/options.ts'

/** Returns the options that one service declares. */
export function optionsOf<T extends OptionDeclarations>(config: Config, declarations: T): OptionValues<T> {
  const values = config as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.keys(declarations).map((name) => [name, values[name]])) as unknown as OptionValues<T>
}
