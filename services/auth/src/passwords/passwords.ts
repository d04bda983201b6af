import type { Logger } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { WeakPasswordError } from '../errors.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { createLeakedPasswords, type LeakedPasswordOptions } from './leaked-passwords.ts'
import { createPasswordHasher, type PasswordHasher } from './password-hasher.ts'
import { judgePassword, type PasswordRules, requireAcceptablePassword, requireKnownRules } from './password-strength.ts'

/** Hashes, compares and checks passwords by the project's rules. */
export interface Passwords extends Omit<PasswordHasher, 'renew'> {
  /** @throws {HoldfastError} `weak_password` or `validation_failed` for an unacceptable password, `unexpected_failure` */
  requireGood(password: string): Promise<void>
  /**
   * Checks a password already in use, to warn its user at sign-in. A failed check counts as passed.
   *
   * @returns `undefined` for an acceptable password
   */
  judge(password: string): Promise<WeakPasswordError | undefined>
  /**
   * Rehashes the verified password of a user if its format or cost is outdated, as for accounts of an imported dump. Returns at once.
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
        // Keeps a password that the user has changed in the meantime.
        await pool.execute(sql`
          update auth.users set encrypted_password = ${renewed} where id = ${userId} and encrypted_password = ${encodedHash}
        `)
      })
    },
  }
}
