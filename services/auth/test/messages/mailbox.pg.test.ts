import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../open-auth-world.ts'
import { deleteOldMessages, insertMessage } from '../../src/messages/message-rows.ts'
import type { MessageRow } from '../../src/messages/messages.ts'

let world: AuthWorld
let app: AuthApp
let key: string
let userId: string

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
  key = app.auth.apiKeys.serviceRole
  userId = (await app.signUp()).user.id
})
afterAll(() => world[Symbol.asyncDispose]())

beforeEach(async () => {
  await world.db.pool.execute(sql`delete from auth.messages`)
  const row = { kind: 'magic_link', userId, body: 'text', variables: { token: '123456' } } as const
  const at = (minute: number): string => new Date(world.nowMs + minute * 60_000).toISOString()
  await insertMessage(world.db.pool, { ...row, channel: 'mail', recipient: 'a@x.org', status: 'captured', now: at(1) })
  await insertMessage(world.db.pool, { ...row, channel: 'mail', recipient: 'b@x.org', status: 'captured', now: at(2) })
  await insertMessage(world.db.pool, { ...row, channel: 'sms', recipient: '49151', status: 'queued', now: at(3) })
})

test('keeps the newest captured messages, as far as they are not too many bytes', async () => {
  const { pool } = world.db
  await pool.execute(sql`
    insert into auth.messages (channel, kind, recipient, body, html, status, created_at)
    select 'mail', 'invite', 'large@x.org', '', repeat('x', 10 * 1024 * 1024), 'captured', ${new Date(world.nowMs).toISOString()}::timestamptz - n * interval '1 second'
      from generate_series(1, 8) n
  `)
  await deleteOldMessages(pool, world.nowMs)
  expect((await recipients()).toSorted()).toEqual([
    '49151',
    'a@x.org',
    'b@x.org',
    ...Array<string>(6).fill('large@x.org'),
  ])
})

async function list(query = ''): Promise<readonly MessageRow[]> {
  const { status, body } = await app.call({ method: 'GET', url: `/admin/messages${query}`, token: key })
  expect(status).toBe(200)
  return body as unknown as readonly MessageRow[]
}

const recipients = async (query?: string): Promise<string[]> => (await list(query)).map(({ recipient }) => recipient)

describe('the captured mailbox', () => {
  test('is for administrators', async () => {
    const { access_token: token } = await app.signUp()
    for (const [method, url] of [
      ['GET', '/admin/messages'],
      ['GET', `/admin/messages/${crypto.randomUUID()}`],
      ['DELETE', '/admin/messages'],
    ] as const) {
      expect(await app.call({ method, url })).toMatchObject({ status: 401, body: { code: 'no_authorization' } })
      expect(await app.call({ method, url, token })).toMatchObject({ status: 403, body: { code: 'not_admin' } })
    }
    expect(await recipients()).toHaveLength(3)
  })

  test('lists the newest first, of everybody or of one', async () => {
    expect(await recipients()).toEqual(['49151', 'b@x.org', 'a@x.org'])
    expect(await recipients('?limit=1')).toEqual(['49151'])
    expect(await recipients('?recipient=A@x.org')).toEqual(['a@x.org'])
    expect(await recipients(`?recipient=${encodeURIComponent('+49 151')}`)).toEqual(['49151'])
    expect(await recipients('?recipient=c@x.org')).toEqual([])
    expect(await app.call({ method: 'GET', url: '/admin/messages?limit=x', token: key })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
  })

  test('shows one with everything in it', async () => {
    const [newest] = await list()
    const { status, body } = await app.call({ method: 'GET', url: `/admin/messages/${newest?.id}`, token: key })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: newest?.id,
      channel: 'sms',
      kind: 'magic_link',
      user_id: userId,
      recipient: '49151',
      subject: '',
      html: '',
      body: 'text',
      variables: { token: '123456' },
      status: 'queued',
      attempts: 0,
      last_error: null,
      created_at: new Date(world.nowMs + 180_000).toISOString(),
      sent_at: null,
    })
    for (const id of ['x', crypto.randomUUID()]) {
      expect(await app.call({ method: 'GET', url: `/admin/messages/${id}`, token: key })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    }
  })

  test('is emptied, of one or of all, except for messages still to be sent', async () => {
    const empty = (query: string) => app.call({ method: 'DELETE', url: `/admin/messages${query}`, token: key })
    expect((await empty('?recipient=a@x.org')).status).toBe(204)
    expect(await recipients()).toEqual(['49151', 'b@x.org'])
    expect((await empty('')).status).toBe(204)
    expect(await recipients()).toEqual(['49151'])
  })
})
