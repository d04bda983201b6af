import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Queryable } from '../connection/pool.ts'
import { quoteIdentifier, quoteLiteral } from '../sql/identifier.ts'
import { sql } from '../sql/sql.ts'

const ITERATIONS = 4_096

/**
 * Ensures that roles log in with the passwords of `urls`. Sends only the SCRAM verifier, never a password. Skips passwords already set.
 *
 * @param db - connected as a superuser or the roles' owner
 * @param urls - `postgres://role:password@host:port/database`
 */
export async function ensureRolePasswords(db: Queryable, urls: readonly string[]): Promise<void> {
  const logins = urls.map(parseLogin)
  const verifiers = await readVerifiers(
    db,
    logins.map(({ role }) => role),
  )
  for (const { role, password } of logins) {
    if (isPasswordOf(verifiers?.get(role), password)) continue
    const verifier = scramVerifier(password, randomBytes(16), ITERATIONS)
    const statement = `alter role ${quoteIdentifier(role)} login password ${quoteLiteral(verifier)}`
    await db.execute(sql`${sql.trusted(statement)}`)
  }
}

/** @returns whether a role has the password of `url`; `undefined` if only a superuser could tell */
export async function hasPassword(db: Queryable, url: string): Promise<boolean | undefined> {
  const { role, password } = parseLogin(url)
  const verifiers = await readVerifiers(db, [role])
  return verifiers && isPasswordOf(verifiers.get(role), password)
}

/** @returns the stored verifiers of login roles, by role; `undefined` if only a superuser could read them */
async function readVerifiers(
  db: Queryable,
  roles: readonly string[],
): Promise<ReadonlyMap<string, string | null> | undefined> {
  const [may] = await db.query<{ look: boolean }>(
    sql`select has_table_privilege('pg_catalog.pg_authid', 'select') as look`,
  )
  if (may?.look !== true) return undefined
  const rows = await db.query<{ role: string; verifier: string | null }>(sql`
    select rolname as role, rolpassword as verifier from pg_catalog.pg_authid
     where rolname = any(${[...roles]}::name[]) and rolcanlogin`)
  return new Map(rows.map(({ role, verifier }) => [role, verifier]))
}

function isPasswordOf(verifier: string | null | undefined, password: string): boolean {
  return verifier != null && matchesVerifier(verifier, password)
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

/** Whether a stored verifier matches `password`. */
export function matchesVerifier(stored: string, password: string): boolean {
  const match = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(stored)
  if (!match) return false
  const expected = Buffer.from(scramVerifier(password, Buffer.from(match[2] ?? '', 'base64'), Number(match[1])))
  const found = Buffer.from(stored)
  return expected.length === found.length && timingSafeEqual(expected, found)
}
