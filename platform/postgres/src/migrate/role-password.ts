import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Pool } from '../connection/pool.ts'
import { isConnectionLoss } from '../connection/sqlstate.ts'
import { quoteIdentifier, quoteLiteral } from '../sql/identifier.ts'
import { sql } from '../sql/sql.ts'

const ITERATIONS = 4_096

/**
 * Makes sure that a role logs in with the password of `url`. The password itself never becomes part of a statement: Postgres receives the
 * SCRAM verifier that it would have computed. Does nothing when it is set already.
 *
 * @param pool - connected as a superuser or as the owner of the role
 * @param url - `postgres://role:password@host:port/database`
 */
export async function ensureRolePassword(pool: Pool, url: string): Promise<void> {
  const address = new URL(url)
  const role = decodeURIComponent(address.username).replace(/\..*$/, '')
  const password = decodeURIComponent(address.password)
  const stored = await readVerifier(pool, role)
  if (stored !== undefined && matchesVerifier(stored, password)) return
  const verifier = scramVerifier(password, randomBytes(16), ITERATIONS)
  await pool.execute(
    sql`${sql.trusted(`alter role ${quoteIdentifier(role)} login password ${quoteLiteral(verifier)}`)}`,
  )
}

async function readVerifier(pool: Pool, role: string): Promise<string | undefined> {
  try {
    const [row] = await pool.query<{ rolpassword: string | null }>(
      sql`select rolpassword from pg_catalog.pg_authid where rolname = ${role}`,
    )
    return row?.rolpassword ?? undefined
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    return undefined // only superusers may look; then the password is set anew
  }
}

/** @see RFC 5803, and PostgreSQL's `scram_build_secret` */
export function scramVerifier(password: string, salt: Buffer, iterations: number): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest('base64')
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

/** Whether a stored verifier belongs to `password`. */
export function matchesVerifier(stored: string, password: string): boolean {
  const match = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(stored)
  if (!match) return false
  const expected = Buffer.from(scramVerifier(password, Buffer.from(match[2] ?? '', 'base64'), Number(match[1])))
  const found = Buffer.from(stored)
  return expected.length === found.length && timingSafeEqual(expected, found)
}
