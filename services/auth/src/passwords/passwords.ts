import type { Logger } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { WeakPasswordError } from '../errors.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { createLeakedPasswords, type LeakedPasswordOptions } from './leaked-passwords.ts'
import { createPasswordHasher, type PasswordHasher } from './password-hasher.ts'
import { judgePassword, type PasswordRules, requireAcceptablePassword, requireKnownRules } from './password-strength.ts'

/** Hashes and compares passwords, and judges them by the rules of the project. */
export interface Passwords extends Omit<PasswordHasher, 'renew'> {
  /** @throws {HoldfastError} `weak_password` or `validation_failed` for what cannot become a password here, `unexpected_failure` */
  requireGood(password: string): Promise<void>
  /**
   * Judges a password that a person has: they are told of all that is wrong with it, and get in. What cannot be found out is not held against it.
   *
   * @returns `undefined` for a password that is good enough
   */
  judge(password: string): Promise<WeakPasswordError | undefined>
  /**
   * Replaces the hash of a person who has just proved their password when it is not of today's form and cost: accounts of a dump become like
   * others with their first sign-in. Returns at once.
   */
  renewHash(input: { readonly userId: string; readonly password: string; readonly encodedHash: string }): void
}

/** @throws {HoldfastError} `option_invalid` for unknown requirements */
export function createPasswords(needs: {
  readonly pool: Pool
  readonly logger: Logger
  readonly options: PasswordRules & LeakedPasswordOptions & Pick<AuthOptions, 'passwordHashCost'>
}): Passwords {
  const { pool, logger, options } = needs
  requireKnownRules(options)
  const hasher = createPasswordHasher(options.passwordHashCost, logger)
  const leakedPasswords = createLeakedPasswords(options, logger)
  return {
    ...hasher,
    async requireGood(password) {
      requireAcceptablePassword(password, options)
      const leaked = await leakedPasswords.judge(password)
      if (leaked) throw leaked
    },
    async judge(password) {
      const weak = judgePassword(password, options)
      const leaked = await leakedPasswords.judge(password).catch(() => undefined)
      if (!weak || !leaked) return weak ?? leaked
      return new WeakPasswordError(`${weak.message} ${leaked.message}`, [...weak.reasons, ...leaked.reasons])
    },
    renewHash({ userId, password, encodedHash }) {
      hasher.renew(password, encodedHash, async (renewed) => {
        // A person who changes their password meanwhile has the last word.
        await pool.execute(sql`
          update auth.users set encrypted_password = ${renewed} where id = ${userId} and encrypted_password = ${encodedHash}
        `)
      })
    },
  }
}
