import { validationFailed } from '../errors.ts'

const BCRYPT = /^\$2[abxy]?\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/
const ARGON2 =
  /^\$argon2id?\$v=19\$m=(?<memory>\d{1,8}),t=(?<time>\d{1,3}),p=(?<threads>\d{1,3})\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/

/** Characters that the column holds. */
const HASH_CHARS_MAX = 255

/**
 * Lets through what a sign-in can be compared with, within costs that cannot keep the server busy: bcrypt, argon2i and argon2id, as they are
 * usually written.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function requirePasswordHash(hash: string): void {
  const bcrypt = BCRYPT.exec(hash)?.groups
  if (bcrypt && isBetween(bcrypt['cost'], 4, 15)) return
  const argon2 = hash.length <= HASH_CHARS_MAX ? ARGON2.exec(hash)?.groups : undefined
  const isAffordable =
    argon2 !== undefined &&
    isBetween(argon2['memory'], 8, 1024 * 1024) &&
    isBetween(argon2['time'], 1, 20) &&
    isBetween(argon2['threads'], 1, 16)
  if (!isAffordable) throw validationFailed('The password hash has to be one of bcrypt, argon2i or argon2id')
}

function isBetween(text: string | undefined, least: number, most: number): boolean {
  return Number(text) >= least && Number(text) <= most
}
