import { describe, expect, test } from 'vitest'
import { createPasswordHasher, hashPassword } from './password-hasher.ts'

/** Test vectors of Openwall's crypt_blowfish. */
const KNOWN = { password: 'U*U', hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' }

/** From other implementations: argon2 from GoTrue's tests, scrypt from Firebase's documentation. */
const FOREIGN = [
  ['argon2i', 'test', '$argon2i$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g'],
  [
    'argon2id',
    'test',
    '$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk',
  ],
  [
    "Firebase's scrypt",
    'user1password',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  ],
] as const

describe('a password hasher', () => {
  const hasher = createPasswordHasher(4)

  test('recognises a hash that another implementation made', async () => {
    expect(await hasher.verify(KNOWN.password, KNOWN.hash)).toBe(true)
    expect(await hasher.verify('U*V', KNOWN.hash)).toBe(false)
  })

  test.each(FOREIGN)('recognises a hash of a dump: %s', async (_name, password, hash) => {
    expect(await hasher.verify(password, hash)).toBe(true)
    expect(await hasher.verify(`${password}x`, hash)).toBe(false)
    expect(await hasher.verify('', hash)).toBe(false)
  })

  test('makes hashes in the form and at the cost that it was told', async () => {
    const hash = await hashPassword('correct horse', 4)
    expect(hash).toMatch(/^\$2a\$04\$.{53}$/)
    expect(await hasher.verify('correct horse', hash)).toBe(true)
    expect(await hashPassword('correct horse', 4)).not.toBe(hash)
  })

  test('is false without a hash, even for the password of the stand-in', async () => {
    expect(await hasher.verify('U*U', undefined)).toBe(false)
  })

  test('does not take a longer password for the one that bcrypt would cut it to', async () => {
    const hash = await hashPassword('a'.repeat(72), 4)
    expect(await hasher.verify('a'.repeat(72), hash)).toBe(true)
    expect(await hasher.verify('a'.repeat(73), hash)).toBe(false)
  })

  test.each([
    '$argon2id$v=19$m=65536,t=3,p=4$abc$def$ghi',
    '$argon2d$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g',
    '$argon2id$v=19$m=99999999,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g',
    '$argon2id$v=19$m=16,t=200,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g',
    '$fbscrypt$v=1,n=24,r=8,p=1,ss=Bw==,sk=AAAA$42xEC+ixf3L2lw==$AAAA',
    '$fbscrypt$v=2,n=14,r=8,p=1,ss=Bw==,sk=AAAA$42xEC+ixf3L2lw==$AAAA',
    '$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    'plain',
    '',
  ])('is false for a hash that it cannot read, or that would take longer than this test may: %s', async (hash) => {
    expect(await hasher.verify('U*U', hash)).toBe(false)
  })

  test('compares with a hash of its own cost for an unknown user', async () => {
    const least = async (cost: number): Promise<number> => {
      const costly = createPasswordHasher(cost)
      const times: number[] = []
      for (let round = 0; round < 3; round++) {
        const start = performance.now()
        expect(await costly.verify('wrong', undefined)).toBe(false)
        times.push(performance.now() - start)
      }
      return Math.min(...times)
    }
    // 128 times the work, so the difference shows even on a busy machine.
    expect(await least(11)).toBeGreaterThan(8 * (await least(4)))
  })

  test('rehashes hashes of another form or cost, and no others', async () => {
    const saved: string[] = []
    const save = async (hash: string): Promise<void> => void saved.push(hash)
    const renewing = createPasswordHasher(5)
    for (const [, password, hash] of FOREIGN) renewing.renew(password, hash, save)
    renewing.renew('a', await hashPassword('a', 4), save)
    renewing.renew('b', await hashPassword('b', 5), save)
    renewing.renew('c'.repeat(73), FOREIGN[0][2], save)
    renewing.renew('d', await hashPassword('d', 6), () => Promise.reject(new Error('the database is away')))
    await renewing[Symbol.asyncDispose]()
    expect(saved).toHaveLength(4)
    expect(saved.every((hash) => hash.startsWith('$2a$05$'))).toBe(true)
    const found = await Promise.all(saved.map((hash) => renewing.verify('user1password', hash)))
    expect(found.filter(Boolean)).toHaveLength(1)
  })
})
