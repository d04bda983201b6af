import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  appliedChanges,
  createNotes,
  differences,
  openDevice,
  openFaultyLink,
  openHoldfast,
  type FaultyLink,
  type Holdfast,
  type TestDevice,
} from '@holdfast/test-support'

/*
 * A local transaction becomes exactly one Postgres transaction, or is refused with a reason that its user sees. No write is lost, whatever happens
 * to the connection or the device in between. A trigger records every write's marker in a journal, so duplicates would show.
 */

const MINA = 'mina.kaya@northline.example'
const DANA = 'dana.okafor@northline.example'
const SAM = 'sam.reyes@northline.example'

let holdfast: Holdfast
let link: FaultyLink
/** Mina's phone, on a connection that tests can cut. */
let phone: TestDevice
let tablet: TestDevice
let dana: TestDevice

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
  link = await openFaultyLink(holdfast.url)
  phone = await openDevice({ ...holdfast, url: link.url }, { email: MINA })
  tablet = await openDevice(holdfast, { email: MINA })
  dana = await openDevice(holdfast, { email: DANA })
})

afterAll(async () => {
  await Promise.all([phone, tablet, dana].map((device) => device?.[Symbol.asyncDispose]()))
  await link?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

afterEach(async () => {
  link.mend()
  for (const device of [phone, tablet, dana])
    for (const item of await device.local.rejected.list()) await device.local.rejected.discard(item.id)
  await settle(phone, tablet, dana)
  for (const device of [phone, tablet, dana]) expect(await differences(device, ['notes', 'actions'])).toEqual([])
})

async function settle(...devices: readonly TestDevice[]): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await Promise.all(devices.map((device) => device.settle()))
}

/** Inserts a note on a device. */
async function addNote(device: TestDevice, values: { id?: string; marker: string; title?: string }): Promise<string> {
  const { id = randomUUID(), marker, title = marker } = values
  await device.database.execute(
    'insert into notes (id, owner_id, shared, amount, title, marker) values (?, ?, 1, 0, ?, ?)',
    [id, device.local.userId, title, marker],
  )
  return id
}

/** Lists markers in the order they were applied, with repetitions. */
async function markersLike(prefix: string): Promise<readonly (string | null)[]> {
  return (await appliedChanges(holdfast)).map(({ marker }) => marker).filter((marker) => marker?.startsWith(prefix))
}

async function noteOf(device: TestDevice, id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  return (await device.localRows('notes')).get(id)
}

describe('a local transaction', () => {
  test('is one Postgres transaction', async () => {
    const first = randomUUID()
    await phone.database.writeTransaction(async (tx) => {
      await tx.execute(`insert into notes (id, owner_id, shared, marker) values (?, ?, 1, 'one/1')`, [
        first,
        phone.local.userId,
      ])
      await tx.execute(`insert into notes (id, owner_id, shared, marker) values (uuid(), ?, 1, 'one/2')`, [
        phone.local.userId,
      ])
      await tx.execute(`update notes set marker = 'one/3', body = 'changed' where id = ?`, [first])
    })
    await addNote(phone, { marker: 'one/4' })
    await settle(phone)
    const applied = (await appliedChanges(holdfast)).filter(({ marker }) => marker?.startsWith('one/'))
    expect(applied.map(({ op, marker }) => `${op} ${marker}`)).toEqual([
      'INSERT one/1',
      'INSERT one/2',
      'UPDATE one/3',
      'INSERT one/4',
    ])
    const [a, b, c, d] = applied.map(({ xact }) => xact)
    expect([b, c]).toEqual([a, a])
    expect(d).not.toBe(a)
  })

  test('if refused, leaves nothing behind, is kept with its reason and does not block the next', async () => {
    const fine = randomUUID()
    await phone.database.writeTransaction(async (tx) => {
      await tx.execute(`insert into notes (id, owner_id, shared, marker, amount) values (?, ?, 1, 'half/1', 1)`, [
        fine,
        phone.local.userId,
      ])
      await tx.execute(`insert into notes (id, owner_id, shared, marker, amount) values (uuid(), ?, 1, 'half/2', -1)`, [
        phone.local.userId,
      ])
    })
    const next = await addNote(phone, { marker: 'half/3' })
    await settle(phone, dana)
    expect(await markersLike('half/')).toEqual(['half/3'])
    expect(await noteOf(dana, next)).toBeDefined()
    expect(await noteOf(phone, fine)).toBeUndefined()
    const items = await phone.local.rejected.list()
    expect(items).toMatchObject([
      {
        operations: [{ op: 'PUT' }, { op: 'PUT' }],
        verdict: { sqlstate: '23514', constraint: 'notes_amount_positive' },
      },
    ])
  })

  test('once refused, is applied as a whole after an edit', async () => {
    const [good, bad] = [randomUUID(), randomUUID()]
    await phone.database.writeTransaction(async (tx) => {
      for (const [id, amount] of [
        [good, 1],
        [bad, -1],
      ]) {
        await tx.execute(`insert into notes (id, owner_id, shared, marker, amount) values (?, ?, 1, 'again', ?)`, [
          id,
          phone.local.userId,
          amount,
        ])
      }
    })
    await addNote(phone, { marker: 'beside' })
    await settle(phone)
    const [item] = await phone.local.rejected.list()
    await phone.local.rejected.retry(item?.id ?? '', [{ table: 'notes', recordId: bad, values: { amount: 5 } }])
    await settle(phone, dana)
    expect(await noteOf(dana, bad)).toMatchObject({ amount: 5 })
    expect(await noteOf(dana, good)).toMatchObject({ amount: 1 })
    const again = (await appliedChanges(holdfast)).filter(({ marker }) => marker === 'again')
    expect(new Set(again.map(({ xact }) => xact)).size).toBe(1)
    expect(again).toHaveLength(2)
    expect(await phone.local.rejected.list()).toEqual([])
  })

  test("once discarded, shows the server's values; an edit of another field is uploaded separately", async () => {
    const id = await addNote(phone, { marker: 'given up/1', title: 'kept' })
    await settle(phone)
    await phone.database.execute(`update notes set amount = -5, title = 'not kept' where id = ?`, [id])
    await settle(phone)
    await phone.database.execute(`update notes set body = 'by itself' where id = ?`, [id])
    await phone.database.execute(`update notes set title = 'after it' where id = ?`, [id])
    await settle(phone)
    const [item] = await phone.local.rejected.list()
    expect(item?.held).toMatchObject([{ operations: [{ data: { title: 'after it' } }] }])
    await phone.local.rejected.discard(item?.id ?? '', { withHeld: true })
    await settle(phone)
    expect(await noteOf(phone, id)).toMatchObject({ title: 'kept', amount: 0, body: 'by itself' })
  })

  test('by a contractor who verifies an action is refused, naming the policy', async () => {
    await using sam = await openDevice(holdfast, { email: SAM })
    const [action] = await sam.database.getAll<{ id: string }>(
      `select a.id from actions a join sites s on s.id = a.site_id and s.status <> 'decommissioned' where a.state = 'to_verify' order by a.id`,
    )
    await sam.database.execute(`update actions set state = 'verified' where id = ?`, [action?.id ?? ''])
    const comment = randomUUID()
    await sam.database.execute(
      `insert into hf_comments (id, table_name, record_id, body) values (?, 'sites', ?, 'no')`,
      [comment, comment],
    )
    await settle(sam)
    expect(await sam.local.rejected.list()).toMatchObject([
      { table: 'actions', verdict: { sqlstate: '42501', policies: ['verify_by_supervisor'] } },
      { table: 'hf_comments', verdict: { sqlstate: '42501' } },
    ])
    expect(await differences(sam, ['notes', 'actions', 'hf_comments'])).toEqual([])
  })

  test('that changes a deleted row is refused with no_row', async () => {
    const id = await addNote(phone, { marker: 'gone' })
    await settle(phone)
    link.sever()
    await holdfast.admin.execute(sql`delete from public.notes where id = ${id}`)
    await phone.database.execute(`update notes set title = 'too late' where id = ?`, [id])
    await addNote(phone, { marker: 'not gone' })
    link.mend()
    await settle(phone)
    expect(await phone.local.rejected.list()).toMatchObject([{ recordId: id, verdict: { status: 'no_row' } }])
    expect(await markersLike('not gone')).toEqual(['not gone'])
  })
})

describe('two devices', () => {
  test('of one user, both offline, upload both changes', async () => {
    await phone.goOffline()
    await tablet.goOffline()
    const [a, b] = await Promise.all([addNote(phone, { marker: 'pair/a' }), addNote(tablet, { marker: 'pair/b' })])
    phone.goOnline()
    tablet.goOnline()
    await settle(phone, tablet)
    for (const device of [phone, tablet])
      expect([await noteOf(device, a), await noteOf(device, b)]).toMatchObject([
        { marker: 'pair/a' },
        { marker: 'pair/b' },
      ])
  })

  test('of two users who change different columns merge the row', async () => {
    const id = await addNote(phone, { marker: 'merge' })
    await settle(phone, dana)
    await phone.goOffline()
    await dana.goOffline()
    await phone.database.execute(`update notes set title = 'by Mina' where id = ?`, [id])
    await dana.database.execute(`update notes set body = 'by Dana' where id = ?`, [id])
    phone.goOnline()
    dana.goOnline()
    await settle(phone, dana)
    for (const device of [phone, dana])
      expect(await noteOf(device, id)).toMatchObject({ title: 'by Mina', body: 'by Dana' })
  })
})

describe('interrupted uploads', () => {
  test.each(['answer', 'request'] as const)('a connection cut at the %s of an upload loses nothing', async (at) => {
    link.breakRequests({ head: 'POST /sync/v1/upload', at, count: 2 })
    const before = link.broken
    for (let n = 0; n < 5; n++) {
      await addNote(phone, { marker: `lost ${at}/${n}` })
      await vi.waitFor(async () => expect((await phone.local.countUnsent()).waiting).toBe(0), { timeout: 60_000 })
    }
    await settle(phone)
    expect(link.broken).toBe(before + 2)
    expect(await markersLike(`lost ${at}/`)).toEqual([0, 1, 2, 3, 4].map((n) => `lost ${at}/${n}`))
    expect(await phone.local.rejected.list()).toEqual([])
  })

  test('offline edits survive restarts of the device and arrive once and in order', async () => {
    link.sever()
    const markers = Array.from({ length: 30 }, (_, n) => `restart/${String(n).padStart(2, '0')}`)
    const id = await addNote(phone, { marker: markers[0] ?? '' })
    for (const [n, marker] of markers.entries()) {
      if (n === 0) continue
      await phone.database.execute('update notes set marker = ?, amount = amount + 1 where id = ?', [marker, id])
      if (n % 10 === 9) await phone.reopen()
    }
    expect(await noteOf(phone, id)).toMatchObject({ marker: markers.at(-1), amount: 29 })
    link.mend()
    await settle(phone, dana)
    expect(await markersLike('restart/')).toEqual(markers)
    expect(await noteOf(dana, id)).toMatchObject({ marker: markers.at(-1), amount: 29 })
  })

  test('a device that crashes during an upload resumes where it stopped', async () => {
    const markers = Array.from({ length: 60 }, (_, n) => `dies/${String(n).padStart(3, '0')}`)
    link.sever()
    for (const marker of markers) await addNote(phone, { marker })
    for (let had = 0, turn = 0; turn < 2; turn++) {
      link.mend()
      await vi.waitFor(
        async () =>
          expect((await markersLike('dies/')).length).toBeGreaterThanOrEqual(Math.min(had + 3, markers.length)),
        { timeout: 60_000, interval: 1 },
      )
      had = (await markersLike('dies/')).length
      link.sever()
      await phone.reopen()
    }
    link.mend()
    await settle(phone)
    expect(await markersLike('dies/')).toEqual(markers)
  })
})
