import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import * as ours from './driver-crypto.ts'

/** The driver's functions that ours replace in the bundled server. */
const driver = createRequire(import.meta.url)('pg/lib/crypto/utils.js') as typeof ours

const SALT = Buffer.from('0123456789abcdef')

async function bytes(result: unknown): Promise<string> {
  return Buffer.from((await result) as ArrayBuffer).toString('hex')
}

test('every function of the driver is there, and gives what the driver gives', async () => {
  expect(Object.keys(ours).toSorted()).toEqual(Object.keys(driver).toSorted())
  for (const password of ['secret', 'pässwörd', ''])
    expect(await bytes(ours.deriveKey(password, SALT, 4_096))).toBe(
      await bytes(driver.deriveKey(password, SALT, 4_096)),
    )
  expect(await bytes(ours.hmacSha256(SALT, 'Client Key'))).toBe(await bytes(driver.hmacSha256(SALT, 'Client Key')))
  expect(await bytes(ours.sha256(SALT))).toBe(await bytes(driver.sha256(SALT)))
  for (const name of ['SHA-256', 'SHA-384', 'SHA-512'])
    expect(await bytes(ours.hashByName(name, SALT))).toBe(await bytes(driver.hashByName(name, SALT)))
  expect(ours.postgresMd5PasswordHash('ann', 'secret', SALT)).toBe(
    await driver.postgresMd5PasswordHash('ann', 'secret', SALT),
  )
  expect(ours.randomBytes(18)).toHaveLength(18)
})

test('a key is kept for its password, salt and number of iterations, and for no other', async () => {
  const first = await ours.deriveKey('secret', SALT, 4_096)
  expect(await ours.deriveKey('secret', Buffer.from(SALT), 4_096)).toBe(first)
  const others = [
    ours.deriveKey('secret2', SALT, 4_096),
    ours.deriveKey('secret', Buffer.from('fedcba9876543210'), 4_096),
    ours.deriveKey('secret', SALT, 4_097),
    ours.deriveKey('fsecret', Buffer.from('0123456789abcde'), 4_096),
  ]
  for (const other of await Promise.all(others)) expect(other.equals(first)).toBe(false)
})
