import { createCipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseDecryptionKeys, readStoredSecret } from './stored-secret.ts'

const ID = randomUUID()
const KEY = randomBytes(32)
const SECRET = 'JBSWY3DPEHPK3PXP'

/** Encrypts like GoTrue: AES-256-GCM with a key derived from the row id by HKDF. */
function encrypt(ownerId: string, key: Buffer): string {
  const derived = Buffer.from(hkdfSync('sha256', key, '', ownerId, 32))
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', derived, nonce)
  const data = Buffer.concat([cipher.update(SECRET), cipher.final(), cipher.getAuthTag()])
  return JSON.stringify({
    key_id: 'k1',
    alg: 'aes-gcm-hkdf',
    data: data.toString('base64'),
    nonce: nonce.toString('base64'),
  })
}

const keys = parseDecryptionKeys([`k1=${KEY.toString('base64url')}`])

describe('the secret of a factor', () => {
  test('is read as it is when it is plain', () => {
    expect(readStoredSecret({ stored: SECRET, ownerId: ID, keys: new Map() })).toBe(SECRET)
  })

  test('is decrypted when GoTrue has encrypted it', () => {
    expect(readStoredSecret({ stored: encrypt(ID, KEY), ownerId: ID, keys })).toBe(SECRET)
  })

  test.each<[string, string, ReadonlyMap<string, Buffer>]>([
    ['without the key', encrypt(ID, KEY), new Map()],
    ['with another key', encrypt(ID, randomBytes(32)), keys],
    ['moved from another row', encrypt(randomUUID(), KEY), keys],
  ])('cannot be read %s', (_how, stored, known) => {
    expect(() => readStoredSecret({ stored, ownerId: ID, keys: known })).toThrowError('cannot be read')
  })
})

test.each(['k1', '=abc', 'k1=c2hvcnQ'])('%j is no key', (entry) => {
  expect(() => parseDecryptionKeys([entry])).toThrowError('not of the form id=key')
})
