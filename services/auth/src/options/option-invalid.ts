import { HoldfastError } from '@holdfast/foundation'

/** A setting that only this service can judge. Refuses the start. */
export function optionInvalid(option: string, what: string, cause?: unknown): HoldfastError {
  return new HoldfastError('option_invalid', 500, `${option}: ${what}`, { cause })
}
