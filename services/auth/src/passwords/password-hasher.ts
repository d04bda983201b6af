import { hash } from '@node-rs/bcrypt'
import { errorMessage, Semaphore, silentLogger, type Logger } from '@holdfast/foundation'
import { overRequestRateLimit } from '../errors.ts'
import { HASH_JOBS_RUNNING_MAX, HASH_JOBS_WAITING_MAX } from '../limits.ts'
import { comparePassword, isWholeToBcrypt } from './compare-password.ts'
import { parsePasswordHash, type PasswordHash } from './password-hash.ts'

/** Hashes and compares passwords off the event loop, a few at a time, with a bounded queue. */
export interface PasswordHasher extends AsyncDisposable {
  /** @throws {HoldfastError} `over_request_rate_limit` if the queue is full */
  hash(password: string): Promise<string>
  /**
   * Compares with a hash in any format of `parsePasswordHash`.
   *
   * @param encodedHash - `undefined` for an unknown user or one without a password: returns false after a comparison with a dummy hash
   * @throws {HoldfastError} `over_request_rate_limit` if the queue is full
   */
  verify(password: string, encodedHash: string | undefined): Promise<boolean>
  /**
   * Rehashes a password in the background if its hash has an outdated format or cost. Errors are not reported, because the next sign-in
   * tries again.
   *
   * @param password - already verified
   * @param save - replaces `encodedHash` if it is unchanged
   */
  renew(password: string, encodedHash: string, save: (encodedHash: string) => Promise<void>): void
}

/** Salt and hash of the dummy hash, to which a cost is added. */
const NOBODYS_SALT_AND_HASH = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

export function createPasswordHasher(cost: number, logger: Logger = silentLogger): PasswordHasher {
  const semaphore = new Semaphore({
    permits: HASH_JOBS_RUNNING_MAX,
    waitingMax: HASH_JOBS_WAITING_MAX,
    refuse: () => overRequestRateLimit(1),
  })
  const dummy: PasswordHash = {
    kind: 'bcrypt',
    encoded: `$2b$${String(cost).padStart(2, '0')}$${NOBODYS_SALT_AND_HASH}`,
    cost,
  }
  const renewing = new Set<Promise<void>>()

  return {
    hash: (password) => semaphore.run({}, () => hashPassword(password, cost)),
    async verify(password, encodedHash) {
      const parsed = encodedHash === undefined ? undefined : parsePasswordHash(encodedHash)
      const isComparable = parsed !== undefined && (parsed.kind !== 'bcrypt' || isWholeToBcrypt(password))
      const matches = await semaphore.run({}, () => comparePassword(password, isComparable ? parsed : dummy))
      return isComparable && matches
    },
    renew(password, encodedHash, save) {
      const parsed = parsePasswordHash(encodedHash)
      const isOfToday = parsed?.kind === 'bcrypt' && parsed.cost === cost
      if (isOfToday || !isWholeToBcrypt(password)) return
      const renewal = semaphore
        .run({}, () => hashPassword(password, cost))
        .then(save)
        .catch((error: unknown) => {
          logger.log('warn', 'a password could not be rehashed', { error: errorMessage(error) })
        })
        .finally(() => renewing.delete(renewal))
      renewing.add(renewal)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(renewing)
    },
  }
}

/**
 * Hashes a password in the format of GoTrue's `encrypted_password`.
 *
 * @param cost - bcrypt cost, 4 to 14
 */
export function hashPassword(password: string, cost = 10): Promise<string> {
  return hash(password, { cost, version: '2a' })
}
