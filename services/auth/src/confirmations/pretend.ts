import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'

// The time of an answer must not tell who has an account. Messages are sent later, passwords are hashed before anybody is looked up, and what
// is left is this: where there is nothing to do, as many statements that change nothing. The counts are measured, not counted: an insert
// costs more than a miss. Every one of these transactions has written before (`takeMessage`), so that it commits as slowly.

/** Misses that cost what a message costs: lock, audit entry, token, the same on the user, message. */
const MISSES_OF_A_MESSAGE = 17

/** Misses that cost what an account costs: user, identity, and reading them. */
const MISSES_OF_AN_ACCOUNT = 11

/** Simulates sending a message, for equal timing. */
export async function pretendToSend(tx: Queryable): Promise<void> {
  await miss(tx, MISSES_OF_A_MESSAGE)
}

/** Simulates creating an account, if one exists already. */
export async function pretendToCreate(tx: Queryable): Promise<void> {
  await miss(tx, MISSES_OF_AN_ACCOUNT)
}

async function miss(tx: Queryable, times: number): Promise<void> {
  const unknownUserId = randomUUID()
  for (let time = 0; time < times; time++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as the real ones
    await tx.execute(sql`update auth.users set updated_at = now() where id = ${unknownUserId}`)
  }
}
