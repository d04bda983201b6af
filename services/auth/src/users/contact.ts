import { validationFailed } from '../errors.ts'
import { EMAIL_CHARS_MAX } from '../limits.ts'

/** HTML's email pattern. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** E.164 without the plus sign. */
const PHONE = /^[1-9][0-9]{1,14}$/

/**
 * @returns the address in lowercase, as stored and compared
 * @throws {HoldfastError} `validation_failed`
 */
export function parseEmail(text: string): string {
  if (text.length > EMAIL_CHARS_MAX) throw validationFailed('An email address is too long')
  const email = text.toLowerCase()
  if (!EMAIL.test(email)) throw validationFailed('Unable to validate email address: invalid format')
  return email
}

/**
 * @returns the digits of the number, as stored and compared
 * @throws {HoldfastError} `validation_failed`
 */
export function parsePhone(text: string): string {
  const phone = normalizePhone(text)
  if (!PHONE.test(phone)) throw validationFailed('Invalid phone number format (E.164 required)')
  return phone
}

/** Removes a leading plus sign and spaces, without validation. */
export function normalizePhone(text: string): string {
  return text.replace(/^\+/, '').replaceAll(' ', '')
}

/** Contact used for sign-up. */
export type Contact =
  | { readonly provider: 'email'; /** In lower case. */ readonly email: string }
  | { readonly provider: 'phone'; /** Digits only. */ readonly phone: string }

/** Returns the address or number. */
export function addressOf(contact: Contact): string {
  return contact.provider === 'email' ? contact.email : contact.phone
}

/** Returns the channel for messages to a contact. */
export function channelOf({ provider }: Contact): 'mail' | 'sms' {
  return provider === 'email' ? 'mail' : 'sms'
}
