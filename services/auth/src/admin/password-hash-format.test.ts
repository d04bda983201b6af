import { expect, test } from 'vitest'
import { requirePasswordHash } from './password-hash-format.ts'

const BCRYPT_TAIL = 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'

test.each([
  ['no hash', 'correct horse'],
  ['another algorithm', '$5$rounds=5000$salt$hash'],
  ['a bcrypt hash cut short', `$2a$10$${BCRYPT_TAIL.slice(1)}`],
  ['a bcrypt hash that takes minutes to compare', `$2a$31$${BCRYPT_TAIL}`],
  ['argon2d, which is for other things', '$argon2d$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g'],
  ['an argon2 hash that takes more than a gibibyte', '$argon2id$v=19$m=9999999,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g'],
])('refuses %s', (_what, hash) => {
  expect(() => requirePasswordHash(hash)).toThrow('The password hash has to be one of')
})

test.each([`$2a$10$${BCRYPT_TAIL}`, `$2y$04$${BCRYPT_TAIL}`, '$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g'])(
  'lets %s through',
  (hash) => {
    expect(() => requirePasswordHash(hash)).not.toThrow()
  },
)
