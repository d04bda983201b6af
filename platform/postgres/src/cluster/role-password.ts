import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Queryable } from '../connection/pool.ts'
import { quoteIdentifier, quoteLiteral } from '../sql/identifier.ts'
import { sql } from '../sql/sql.ts'

const ITERATIONS = 4_096

/**
 * Makes sure that a role logs in with the password of `url`. The password itself never becomes part of a statement: Postgres receives the
 * SCRAM verifier that it would have computed. Does nothing when it is set already.
 *
 * @param db - connected as a superuser or as the owner of the role
 * @param url - `postgres://role:password@host:port/database`
 */
export async function ensureRolePassword(db: Queryable, url: string): Promise<void> {
  if ((await hasPassword(db, url)) === true) return
  const { role, password } = parseLogin(url)
  const verifier = scramVerifier(password, randomBytes(16), ITERATIONS)
  await db.execute(sql`${sql.trusted(`alter role ${quoteIdentifier(role)} login password ${quoteLiteral(verifier)}`)}`)
}

/** @returns whether a role has the password of `url`, or `undefined` when only a superuser could say */
export async function hasPassword(db: Queryable, url: string): Promise<boolean | undefined> {
  const { role, password } = parseLogin(url)
  const [may] = await db.query<{ look: boolean }>(
    sql`select has_table_privilege('pg_catalog.pg_authid', 'select') as look`,
  )
  if (may?.look !== true) return undefined
  const [row] = await db.query<{ rolpassword: string | null }>(
    sql`select rolpassword from pg_catalog.pg_authid where rolname = ${role} and rolcanlogin`,
  )
  return row?.rolpassword != null && matchesVerifier(row.rolpassword, password)
}

function parseLogin(url: string): { readonly role: string; readonly password: string } {
  const { username, password } = new URL(url)
  return { role: decodeURIComponent(username).replace(/\..*$/, ''), password: decodeURIComponent(password) }
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
