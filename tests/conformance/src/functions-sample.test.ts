import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SupabaseClient } from '@supabase/supabase-js'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// The sample's own functions, called like in the sample: by a database webhook and by a scheduled job.

const DANA = 'dana.okafor@northline.example' // leads team North
const SAM = 'sam.reyes@northline.example' // contractor

let holdfast: Holdfast
let dana: SupabaseClient
beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  dana = await holdfast.supabase({ email: DANA })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

describe('the functions of the sample', () => {
  test('create one action per critical finding, and none for others', async () => {
    const { data: site } = await dana.from('sites').select('id').eq('status', 'active').limit(1).single()
    const findings = [
      { id: randomUUID(), site_id: site?.id as string, title: 'Valve stem cracked', severity: 'critical' },
      { id: randomUUID(), site_id: site?.id as string, title: 'Paint flaking', severity: 'low' },
    ]
    const { error } = await dana.from('findings').insert(findings)
    expect(error).toBeNull()
    const actions = async (): Promise<unknown> =>
      (
        await dana
          .from('actions')
          .select('title, priority, state')
          .in(
            'finding_id',
            findings.map(({ id }) => id),
          )
      ).data
    const made = [{ title: 'Make safe: Valve stem cracked', priority: 1, state: 'open' }]
    await expect.poll(actions, { message: holdfast.log() }).toEqual(made)
    // As if the webhook were delivered twice.
    for (const { id } of findings) {
      const { data } = await dana.functions.invoke('critical-finding', { body: { record: { id } } })
      expect(data).toEqual({ made: false })
    }
    expect(await actions()).toEqual(made)
  })

  test('summarise the week by region in a scheduled job, for staff but not contractors', async () => {
    const { admin } = holdfast
    const [job] = await admin.query<{ command: string; schedule: string }>(
      sql`select command, schedule from cron.job where jobname = 'weekly-summary'`,
    )
    expect(job?.schedule).toBe('0 6 * * mon')
    await admin.execute(sql`select cron.schedule('now', '1 second', ${job?.command ?? ''})`)
    const read = async (client: SupabaseClient): Promise<string | undefined> => {
      const { data: files } = await client.storage.from('reports').list('weekly')
      const { data } = await client.storage.from('reports').download(`weekly/${files?.[0]?.name ?? 'none'}`)
      return await data?.text()
    }
    await expect.poll(() => read(dana), { message: holdfast.log() }).toMatch(/\| North \| \d+ \| \d+ \| 37 \|/)
    await admin.execute(sql`select cron.unschedule('now')`)
    expect(await read(await holdfast.supabase({ email: SAM }))).toBeUndefined()
  })
})
