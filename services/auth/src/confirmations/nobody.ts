import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'

/** Statements that a message costs: lock, audit entry, flow, token on the user, token, message. */
const STATEMENTS_OF_A_MESSAGE = 6

/**
 * Does for nobody about what a message to somebody costs, so that the time of the answer does not tell who has an account. The transaction
 * has written already (see `takeMessage`), so that it commits as slowly.
 */
export async function pretendToSend(tx: Queryable): Promise<void> {
  const nobody = randomUUID()
  for (let statement = 0; statement < STATEMENTS_OF_A_MESSAGE; statement++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as the real ones
    await tx.execute(sql`update auth.users set updated_at = now() where id = ${nobody}`)
  }
}
