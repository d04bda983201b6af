import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findPostgresInstallations,
  openDevice,
  openFaultyLink,
  openForeignPostgres,
  openHoldfast,
  type FaultyLink,
  type ForeignPostgres,
  type Holdfast,
  type TestDevice,
} from '@holdfast/test-support'

/*
 * The machine of an external Postgres dies without a word, and another takes its address, as in a failover: no connection that was open gets an answer, or an
 * end. The server goes on with new ones by itself, for every service.
 */

const MINA = 'mina.kaya@northline.example' // inspector in team North

const installations = findPostgresInstallations()

describe.skipIf(installations.length > 0)('a Postgres that is gone without a word', () => {
  test.skip('is not tried: no Postgres 15 or newer in /usr/lib/postgresql or HOLDFAST_POSTGRES_BIN', () => undefined)
})

describe.each(installations.slice(0, 1))('a Postgres that is gone without a word ($major)', (installation) => {
  let server: ForeignPostgres
  let link: FaultyLink
  let holdfast: Holdfast
  let mina: TestDevice

  beforeAll(async () => {
    server = await openForeignPostgres(installation)
    link = await openFaultyLink(server.url)
    const url = new URL(server.url)
    url.host = new URL(link.url).host
    holdfast = await openHoldfast({ sample: true, args: [`--database-url=${url.href}`] })
    mina = await openDevice(holdfast, { email: MINA })
  })

  afterAll(async () => {
    await mina?.[Symbol.asyncDispose]()
    await holdfast?.[Symbol.asyncDispose]()
    await link?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  test('is left, and the one in its place serves requests and devices', async () => {
    const client = await holdfast.supabase({ email: MINA })
    const [action] = await mina.database.getAll<{ id: string }>(
      `select a.id from actions a join sites s on s.id = a.site_id and s.status <> 'decommissioned'
         join hf_teams t on t.id = a.team_id where a.state = 'open' order by a.id limit 1`,
    )
    const id = action?.id ?? ''
    await mina.settle()
    link.abandon()
    await mina.database.execute('update actions set title = ? where id = ?', ['written after the failover', id])
    const title = async (): Promise<unknown> => {
      const asked = client.from('actions').select('title').eq('id', id)
      return (await asked.abortSignal(AbortSignal.timeout(5_000))).data?.[0]?.title
    }
    await expect.poll(title, { interval: 500 }).toBe('written after the failover')
    await client.from('actions').update({ title: 'written online' }).eq('id', id)
    await mina.settle()
    expect((await mina.localRows('actions')).get(id)?.['title']).toBe('written online')
  })
})
