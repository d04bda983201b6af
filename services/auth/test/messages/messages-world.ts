import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { createHooks } from '../../src/hooks/create-hooks.ts'
import { createMessages } from '../../src/messages/create-messages.ts'
import { readMessages } from '../../src/messages/message-rows.ts'
import type { MessageRow, Messages, OutgoingMail } from '../../src/messages/messages.ts'
import { type AuthOptions, defaultAuthOptions } from '../../src/options/auth-options.ts'
import { openAuthWorld, type AuthWorld } from '../open-auth-world.ts'

const SITE = 'http://127.0.0.1:54321'
export const ISSUER = `${SITE}/auth/v1`

/** Messages to one user, over a database of accounts. */
export interface MessagesWorld extends AsyncDisposable {
  readonly auth: AuthWorld
  readonly userId: string
  open(options?: Partial<AuthOptions>): Messages
  /** Sends a mail with a link and a code, in a transaction. */
  write(messages: Messages, over?: Partial<OutgoingMail>): Promise<void>
  mail(over?: Partial<OutgoingMail>): OutgoingMail
  rows(): Promise<MessageRow[]>
  onlyRow(): Promise<MessageRow>
  /** Deletes all messages, and sets the clock to the present. */
  reset(): Promise<void>
}

export async function openMessagesWorld(): Promise<MessagesWorld> {
  const auth = await openAuthWorld()
  const { pool } = auth.db
  const userId = randomUUID()
  await pool.execute(sql`
    insert into auth.users (id, aud, role, email, raw_user_meta_data, created_at, updated_at)
    values (${userId}, 'authenticated', 'authenticated', 'mina@example.org', '{"name":"Mina <3"}', now(), now())
  `)
  const mail = (over: Partial<OutgoingMail> = {}): OutgoingMail => ({
    kind: 'magic_link',
    to: 'mina@example.org',
    userId,
    token: '123456',
    tokenHash: 'pkce_00ff',
    redirectTo: 'https://app.example.org/welcome',
    data: { name: 'Mina <3' },
    ...over,
  })
  const rows = (): Promise<MessageRow[]> => readMessages(pool, { limit: 50 })
  return {
    auth,
    userId,
    mail,
    rows,
    open: (options = {}) => openMessages(auth, options),
    write: (messages, over) => pool.transaction((tx) => messages.sendMail(tx, mail(over))),
    async onlyRow() {
      const [row, ...others] = await rows()
      expect(others).toEqual([])
      if (!row) throw new Error('there is no message')
      return row
    },
    async reset() {
      auth.nowMs = Date.now()
      await pool.execute(sql`delete from auth.messages`)
    },
    [Symbol.asyncDispose]: () => auth[Symbol.asyncDispose](),
  }
}

function openMessages(auth: AuthWorld, given: Partial<AuthOptions>): Messages {
  const options = { ...defaultAuthOptions(), ...given }
  const clock = { now: () => auth.nowMs }
  return createMessages({
    pool: auth.db.pool,
    options,
    hooks: createHooks(options, { clock, logger: silentLogger }),
    clock,
    logger: silentLogger,
    projectName: 'Northline',
    issuer: ISSUER,
    siteUrl: 'https://app.example.org',
  })
}
