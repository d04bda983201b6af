import { optionInvalid } from '../errors.ts'
import { normalizePhone } from '../users/contact.ts'

/**
 * Parses `smsTestOtp`.
 *
 * @param entries - `4152127777=123456`
 * @returns codes by number (digits only)
 * @throws {HoldfastError} `option_invalid`
 */
export function parseTestOtps(entries: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    entries.map((entry) => {
      const [, phone = '', code = ''] = /^(\+?[\d ]+)=(\d{4,10})$/.exec(entry.trim()) ?? []
      if (code === '') throw optionInvalid('smsTestOtp', `${entry} does not read <number>=<code>.`)
      return [normalizePhone(phone), code]
    }),
  )
}
