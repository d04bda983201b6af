import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SupabaseClient } from '@supabase/supabase-js'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

/*
 * Photos of the sample have real files: a user who sees a photo's row gets its bytes, no other user does.
 */

const MINA = 'mina.kaya@northline.example'
const DANA = 'dana.okafor@northline.example'
const SAM = 'sam.reyes@northline.example'
const JPEG = new Blob([new Uint8Array([0xff, 0xd8, 0xff, 0xd9])], { type: 'image/jpeg' })

let holdfast: Holdfast
let mina: SupabaseClient
let dana: SupabaseClient
let sam: SupabaseClient

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  mina = await holdfast.supabase({ email: MINA })
  dana = await holdfast.supabase({ email: DANA })
  sam = await holdfast.supabase({ email: SAM })
})

afterAll(() => holdfast?.[Symbol.asyncDispose]())

/** Returns a finding of team North that no contractor sees. */
async function findFinding(): Promise<string> {
  const [row] = await holdfast.admin.query<{ id: string }>(sql`
    select f.id from public.findings f join public.sites s on s.id = f.site_id join public.regions r on r.id = s.region_id
     where r.name = 'North' and s.status <> 'decommissioned' and not exists (select from public.actions a where a.finding_id = f.id)
     order by f.number limit 1`)
  return row?.id ?? expect.unreachable('the sample has such a finding')
}

async function addPhoto(client: SupabaseClient): Promise<{ readonly id: string; readonly path: string }> {
  const { data } = await client.auth.getUser()
  const id = crypto.randomUUID()
  const path = `${data.user?.id}/${id}.jpg`
  const photo = { id, path, media_type: 'image/jpeg', finding_id: await findFinding() }
  expect((await client.from('photos').insert(photo)).error).toBeNull()
  return { id, path }
}

const bytesOf = async (client: SupabaseClient, path: string): Promise<number | string> => {
  const { data, error } = await client.storage.from('record-photos').download(path)
  return data?.size ?? error?.message ?? 'neither bytes nor an error'
}

describe("the sample's photos", () => {
  test('are stored objects, one per path in the rows', async () => {
    const [row] = await holdfast.admin.query<{ paths: number; missing: number }>(sql`
      select count(*)::int4 as paths, count(*) filter (where o.id is null)::int4 as missing
        from (select distinct path from public.photos) p left join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path`)
    expect(row).toEqual({ paths: 24, missing: 0 })
  })

  test('can be read by users who see the row', async () => {
    const { data } = await mina.from('photos').select('path').limit(1).single()
    expect(await bytesOf(mina, data?.path)).toBeGreaterThan(1_000)
  })
})

describe('a photo of a finding', () => {
  test('is uploaded by its author and readable by users who see the finding', async () => {
    const { path } = await addPhoto(mina)
    expect((await mina.storage.from('record-photos').upload(path, JPEG)).error).toBeNull()
    expect(await bytesOf(dana, path)).toBe(JPEG.size)
  })

  test('is hidden, row and bytes, from a contractor who may not see the finding', async () => {
    const { id, path } = await addPhoto(mina)
    await mina.storage.from('record-photos').upload(path, JPEG)
    expect((await sam.from('photos').select('id').eq('id', id)).data).toEqual([])
    expect(await bytesOf(sam, path)).toBe('Object not found')
    expect((await sam.storage.from('record-photos').createSignedUrl(path, 60)).error?.message).toBe('Object not found')
  })

  test('cannot replace another photo: a row names its own file', async () => {
    const { path } = await addPhoto(mina)
    const own = { id: crypto.randomUUID(), path, media_type: 'image/jpeg', finding_id: await findFinding() }
    expect((await dana.from('photos').insert(own)).error?.message).toContain('photos_path_is_own')
    expect((await dana.storage.from('record-photos').upload(path, JPEG)).error?.message).toContain('row-level security')
  })

  test('deletes its object with its row', async () => {
    const { id, path } = await addPhoto(mina)
    await mina.storage.from('record-photos').upload(path, JPEG)
    expect((await mina.from('photos').delete().eq('id', id)).error).toBeNull()
    const rows = await holdfast.admin.query(sql`select from storage.objects where name = ${path}`)
    expect(rows).toEqual([])
  })
})
