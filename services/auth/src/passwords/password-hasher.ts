import { hash, verify } from '@node-rs/bcrypt'
import { overRequestRateLimit } from '../errors.ts'
import { HASH_JOBS_RUNNING_MAX, HASH_JOBS_WAITING_MAX, PASSWORD_BYTES_MAX } from '../limits.ts'

/** Hashes and compares passwords off the event loop, a few at a time, with a bounded queue before them. */
export interface PasswordHasher {
  /** @throws {HoldfastError} `over_request_rate_limit` when too many wait */
  hash(password: string): Promise<string>
  /**
   * @param encodedHash - `undefined` when there is nobody, or nobody with a password: takes as long as a comparison and is false
   * @throws {HoldfastError} `over_request_rate_limit` when too many wait
   */
  verify(password: string, encodedHash: string | undefined): Promise<boolean>
}

/** Nobody's hash, at any cost: to be compared when there is none. */
const NOBODYS_SALT_AND_HASH = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

export function createPasswordHasher(cost: number): PasswordHasher {
  const enter = createGate(HASH_JOBS_RUNNING_MAX, HASH_JOBS_WAITING_MAX)
  const nobodysHash = `$2b$${String(cost).padStart(2, '0')}$${NOBODYS_SALT_AND_HASH}`

  return {
    hash: (password) => enter(() => hashPassword(password, cost)),
    async verify(password, encodedHash) {
      const comparable = encodedHash !== undefined && isComparable(password)
      const matches = await enter(() => verify(password, comparable ? encodedHash : nobodysHash))
      return comparable && matches
    },
  }
}

/**
 * Hashes one password as GoTrue's `encrypted_password` holds it.
 *
 * @param cost - bcrypt's cost, 4 to 14
 */
export function hashPassword(password: string, cost = 10): Promise<string> {
  return hash(password, { cost, version: '2a' })
}

function isComparable(password: string): boolean {
  return Buffer.byteLength(password) <= PASSWORD_BYTES_MAX && !password.includes('\0')
}

/** Runs up to `runningMax` jobs at once and lets `waitingMax` wait in order. */
export function createGate(runningMax: number, waitingMax: number): <T>(job: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []

  return async (job) => {
    if (running >= runningMax) {
      if (waiting.length >= waitingMax) throw overRequestRateLimit(1)
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
