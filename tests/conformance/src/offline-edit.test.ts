import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * The life of an offline edit: visible at once, evaluated by Postgres once, delivered to every user who may see it; a rejected change is kept for
 * its user with the reason. The server is the real process; the devices are the public clients with real local databases.
 */

const MINA = 'mina.kaya@northline.example' // inspector in team North
const DANA = 'dana.okafor@northline.example' // leads team North

let holdfast: Holdfast
let mina: TestDevice
let dana: TestDevice

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  mina = await openDevice(holdfast, { email: MINA })
  dana = await openDevice(holdfast, { email: DANA })
})

afterAll(async () => {
  await mina?.[Symbol.asyncDispose]()
  await dana?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

async function expectEqualToPostgres(device: TestDevice): Promise<void> {
  await device.settle()
  for (const table of device.tables()) {
    expect(await device.localRows(table), `${table} of ${device.email}`).toEqual(await device.visibleRows(table))
  }
}

interface Action {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly site_id: string
  readonly team_id: string
}

/** Returns an action in this state that Mina may edit and no earlier test used. */
async function anAction(state: string): Promise<Action> {
  const rows = await mina.database.getAll<Action>(
    `select a.id, a.title, a.state, a.site_id, a.team_id from actions a
       join sites s on s.id = a.site_id and s.status <> 'decommissioned'
       join hf_teams t on t.id = a.team_id
      where a.state = ? and a.title not like 'test %' order by a.id`,
    [state],
  )
  const [row] = rows
  if (!row) throw new Error(`the sample has no action in state ${state}`)
  return row
}

test('each device holds what Postgres lets its user select', async () => {
  await expectEqualToPostgres(mina)
  await expectEqualToPostgres(dana)
  expect((await mina.localRows('actions')).size).toBeGreaterThan(0)
})

describe('an edit made offline', () => {
  test('is visible at once, and to other users once the device is online', async () => {
    const action = await anAction('open')
    await mina.goOffline()
    await mina.database.execute('update actions set title = ? where id = ?', ['test offline', action.id])
    expect(await mina.local.countUnsent()).toEqual({ waiting: 1, attention: 0, files: 0 })
    expect((await mina.localRows('actions')).get(action.id)?.['title']).toBe('test offline')
    mina.goOnline()
    await mina.settle()
    await dana.settle()
    expect((await dana.localRows('actions')).get(action.id)?.['title']).toBe('test offline')
    await expectEqualToPostgres(mina)
  })

  test("refused by a policy is kept with the policy's name and message, and the record shows the server's values", async () => {
    const action = await anAction('to_verify')
    const person = await mina.database.get<{ id: string }>('select id from people where user_id = ?', [
      mina.local.userId,
    ])
    await mina.database.execute(`update actions set state = 'verified', verified_by = ? where id = ?`, [
      person.id,
      action.id,
    ])
    await mina.settle()
    const [change] = await mina.local.rejected.list()
    expect(change).toMatchObject({
      table: 'actions',
      recordId: action.id,
      verdict: {
        status: 'error',
        sqlstate: '42501',
        policies: ['verify_by_supervisor'],
        rule: expect.stringContaining('Only a lead'),
      },
    })
    await expect.poll(() => mina.local.sync.get()).toEqual({ kind: 'attention', attention: 1 })
    expect((await mina.localRows('actions')).get(action.id)?.['state']).toBe('to_verify')
    await mina.local.rejected.discard(change?.id ?? '')
    await expectEqualToPostgres(mina)
  })

  test('of a state that another user has since changed is a conflict, and can be kept', async () => {
    const action = await anAction('open')
    await mina.goOffline()
    await mina.database.execute(`update actions set state = 'doing', title = 'test conflict' where id = ?`, [action.id])
    await holdfast.admin.execute(sql`
      update public.actions set state = 'blocked', blocked_reason = 'no parts' where id = ${action.id}`)
    mina.goOnline()
    await mina.settle()
    const [change] = await mina.local.rejected.list()
    expect(change).toMatchObject({
      verdict: { status: 'conflict', current: { state: 'blocked' } },
      serverRow: { state: 'blocked' },
    })
    await mina.local.rejected.retry(change?.id ?? '')
    await expectEqualToPostgres(mina)
    expect((await mina.localRows('actions')).get(action.id)).toMatchObject({ state: 'doing', title: 'test conflict' })
    expect(await mina.local.rejected.list()).toEqual([])
  })

  test('survives crashes of the device and the server, and is applied once', async () => {
    const action = await anAction('open')
    const id = randomUUID()
    await mina.goOffline()
    await mina.database.execute(
      'insert into actions (id, title, site_id, team_id, state, priority) values (?, ?, ?, ?, ?, ?)',
      [id, 'test made offline', action.site_id, action.team_id, 'open', 2],
    )
    await holdfast.kill9()
    await mina.reopen() // without a server: session and rows are on the device
    expect((await mina.localRows('actions')).get(id)?.['title']).toBe('test made offline')
    expect(mina.client.session.get().kind).toBe('active')
    await holdfast.restart()
    await mina.settle()
    expect(await mina.local.rejected.list()).toEqual([])
    await expectEqualToPostgres(mina)
    await dana.settle()
    expect((await dana.localRows('actions')).get(id)).toMatchObject({ title: 'test made offline', state: 'open' })
  })
})

test('a new column reaches a connected device without a restart', async () => {
  await holdfast.admin.execute(sql`alter table public.sites add column motto text not null default 'water'`)
  await mina.goOffline()
  mina.goOnline()
  await expect
    .poll(
      () =>
        mina.local.schema
          .get()
          .tables.find((table) => table.name === 'sites')
          ?.columns.some((column) => column.name === 'motto'),
      { timeout: 60_000 },
    )
    .toBe(true)
  await expectEqualToPostgres(mina)
})

test('signing out works offline, with unsent changes', async () => {
  await using device = await openDevice(holdfast, { email: MINA })
  await device.goOffline()
  await device.database.execute(`update sites set name = name || '!' where id in (select id from sites limit 1)`)
  expect((await device.local.countUnsent()).waiting).toBe(1)
  await device.client.signOut('keep')
  expect(device.client.session.get()).toEqual({ kind: 'signed_out' })
  expect(device.client.device.get()).toEqual({ kind: 'none' })
})
