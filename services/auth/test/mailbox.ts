import { expect } from 'vitest'
import { sql } from '@holdfast/postgres'
import type { AuthWorld } from './open-auth-world.ts'

/** A captured mail, as far as tests follow it. */
export interface CapturedMail {
  readonly kind: string
  readonly token: string
  readonly tokenHash: string
  readonly redirectTo: string
}

/** How many messages there are for an address or number. */
export async function countMessages(world: AuthWorld, to: string): Promise<number> {
  const [row] = await world.db.pool.query<{ count: number }>(
    sql`select count(*)::int as count from auth.messages where recipient = ${to}`,
  )
  return row?.count ?? 0
}

/** The newest mail to an address, which has to be there. */
export async function readMail(world: AuthWorld, to: string): Promise<CapturedMail> {
  const variables = await readNewest<CapturedMail>(world, to)
  expect(variables, `a mail to ${to}`).toBeDefined()
  return variables as CapturedMail
}

/** The code of the newest text message to a number, which has to be there. @param to - digits only */
export async function readCode(world: AuthWorld, to: string): Promise<string> {
  const variables = await readNewest<{ readonly code: string }>(world, to)
  expect(variables, `a text message to ${to}`).toBeDefined()
  return variables?.code ?? ''
}

async function readNewest<Variables>(world: AuthWorld, to: string): Promise<Variables | undefined> {
  const [row] = await world.db.pool.query<{ kind: string; variables: Variables }>(sql`
    select kind, variables from auth.messages where recipient = ${to} order by created_at desc, id limit 1
  `)
  return row && { ...row.variables, kind: row.kind }
}

/** A code that is not `token`. */
export function wrongCode(token: string): string {
  return token.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))
}
