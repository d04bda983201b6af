import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'

// Response times must not reveal who has an account. Messages are sent later and passwords hashed before any lookup. What remains is
// simulated here: requests with nothing to do run as many statements that change nothing. The counts come from measurements, because an
// insert costs more than an update that finds no row. Each of these transactions has written before (`takeMessage`), so its commit takes equally long.

/** Statements without effect that cost as much as a message: lock, audit entry, token, its copy on the user, message. */
const MESSAGE_STATEMENTS = 17

/** Statements without effect that cost as much as an account: user, identity, and reading them. */
const ACCOUNT_STATEMENTS = 11

/** Simulates sending a message to equalize response times. */
export async function spendMessageTime(tx: Queryable): Promise<void> {
  await runStatements(tx, MESSAGE_STATEMENTS)
}

/** Simulates creating an account if one exists already. */
export async function spendAccountTime(tx: Queryable): Promise<void> {
  await runStatements(tx, ACCOUNT_STATEMENTS)
}

async function runStatements(tx: Queryable, times: number): Promise<void> {
  const unknownUserId = randomUUID()
  for (let time = 0; time < times; time++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as the real ones
    await tx.execute(sql`update auth.users set updated_at = now() where id = ${unknownUserId}`)
  }
}
