import { createHmac, pbkdf2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '@holdfast/foundation'

/** Iterations per attempt, and attempts at most: a desktop needs about a second, a phone a few. */
const ROUNDS = 2_000
const ATTEMPTS_MAX = 1_500
const KEY_BYTES = 32

/** Lifetime of a puzzle in ms. It is fetched when an answer is sent, also after days offline. */
const LIFETIME_MS = 10 * 60_000

/** A puzzle for one answer of one form. */
export interface Puzzle {
  /** Hex. */
  readonly salt: string
  readonly rounds: number
  /** The solution is below it. */
  readonly attempts: number
  /** PBKDF2-SHA-256 of the solution in decimal digits, in hex. */
  readonly target: string
  /** Unix time in ms. */
  readonly expires: number
  readonly signature: string
}

export interface ProofOfWork {
  /** @param subject - what the solution will be good for; a solution for another one is not accepted */
  create(subject: string): Promise<Puzzle>
  /** Verifies a solved puzzle: `{salt, target, expires, signature, solution}`. Never throws for a wrong one. */
  isSolved(subject: string, proof: unknown): Promise<boolean>
}

const derive = promisify(pbkdf2)

/**
 * Creates puzzles that a device solves by trying numbers, as ALTCHA's PBKDF2 challenges are. Nothing is stored: a signature binds each puzzle to its subject,
 * so a solution used twice adds nothing.
 *
 * @param secret - of the server. The key is derived from it, so that no other signed text is accepted as a puzzle
 */
export function createProofOfWork(secret: string, clock: Clock): ProofOfWork {
  const derived = createHmac('sha256', secret).update('holdfast: puzzles of public forms').digest()
  const sign = (subject: string, salt: string, target: string, expires: number): string =>
    createHmac('sha256', derived)
      .update(JSON.stringify([subject, salt, target, expires]))
      .digest('hex')
  return {
    async create(subject) {
      const salt = randomBytes(16).toString('hex')
      const target = await keyOf(randomInt(ATTEMPTS_MAX), salt)
      const expires = clock.now() + LIFETIME_MS
      const signature = sign(subject, salt, target, expires)
      return { salt, rounds: ROUNDS, attempts: ATTEMPTS_MAX, target, expires, signature }
    },
    async isSolved(subject, proof) {
      const { salt, target, expires, signature, solution } = (proof ?? {}) as Readonly<Record<string, unknown>>
      const isWellFormed =
        isHex(salt, 16) && isHex(target, KEY_BYTES) && isHex(signature, 32) && Number.isSafeInteger(solution)
      if (!isWellFormed || typeof expires !== 'number' || clock.now() > expires) return false
      const expected = Buffer.from(sign(subject, salt, target, expires), 'hex')
      if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return false
      return (await keyOf(solution as number, salt)) === target
    },
  }
}

async function keyOf(solution: number, salt: string): Promise<string> {
  return (await derive(String(solution), Buffer.from(salt, 'hex'), ROUNDS, KEY_BYTES, 'sha256')).toString('hex')
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-f]+$/.test(value)
}
