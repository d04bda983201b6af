import { restOptions, type RestOptions } from '../src/options.ts'

/** The options as they are declared. */
export function defaultRestOptions(): RestOptions {
  const defaults = Object.entries(restOptions).map(([name, { default: value }]) => [name, value])
  return Object.fromEntries(defaults) as unknown as RestOptions
}
