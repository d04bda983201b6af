import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { assert } from '@holdfast/foundation'
import { decodeBase32, encodeBase32 } from './base32.ts'

/** Lifetime of a code in seconds. */
const STEP_S = 30
/** Accepted steps before and after the current one, because phone clocks drift and users type slowly. */
const STEPS_OFF_MAX = 1
const DIGITS = 6
const SECRET_BYTES = 20

/** @returns a new secret in base32, of the length that SHA-1 uses */
export function createTotpSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES))
}

/** Returns the number of the 30 s step at a time. */
export function totpStepAt(nowMs: number): number {
  return Math.floor(nowMs / 1000 / STEP_S)
}

/**
 * Returns the code of a step.
 *
 * @param secret - base32
 * @see RFC 6238 with SHA-1 and six digits, the only variant that every authenticator app supports
 */
export function totpCode(secret: string, step: number): string {
  const key = decodeBase32(secret)
  assert(key !== undefined, 'the secret of a factor is in base32')
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

/**
 * Finds the step of a code: the current, previous or next one.
 *
 * @param input.lastUsedStep - this step and earlier ones are used up
 * @returns the step, to be stored as the last used one; `undefined` for a wrong or used code
 */
export function matchTotp(input: {
  readonly secret: string
  readonly code: string
  readonly nowMs: number
  readonly lastUsedStep: number | undefined
}): number | undefined {
  const code = Buffer.from(input.code.trim())
  if (code.length !== DIGITS) return undefined
  const now = totpStepAt(input.nowMs)
  let found: number | undefined
  for (let step = now - STEPS_OFF_MAX; step <= now + STEPS_OFF_MAX; step += 1) {
    if (step < 0 || (input.lastUsedStep !== undefined && step <= input.lastUsedStep)) continue
    if (timingSafeEqual(Buffer.from(totpCode(input.secret, step)), code)) found ??= step
  }
  return found
}

/**
 * Returns the content of an authenticator app's QR code.
 *
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function totpUri(input: { readonly secret: string; readonly issuer: string; readonly account: string }): string {
  const label = `${encodeURIComponent(input.issuer)}:${encodeURIComponent(input.account)}`
  const parameters = { algorithm: 'SHA1', digits: DIGITS, issuer: input.issuer, period: STEP_S, secret: input.secret }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `otpauth://totp/${label}?${query.join('&')}`
}
