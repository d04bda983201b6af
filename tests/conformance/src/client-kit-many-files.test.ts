import { randomBytes } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openPhotoDevice, PATIENCE } from './photo-device.ts'

/*
 * Files over a bad connection: row changes do not wait for bytes, parallel uploads leave the browser a connection for rows, and the uploaded part
 * of a file is kept.
 */

const FILES = 24
const FILE_BYTES = 20_000
/** In bytes per second; the files take a few seconds. */
const BAD_LINE = 200_000

/** Blocks file uploads until opened, and counts the concurrent ones. */
function openUploadGate(): { readonly fetch: typeof fetch; readonly open: () => void; readonly under: () => number[] } {
  const counts: number[] = []
  let running = 0
  let open = (): void => undefined
  const isOpen = new Promise<void>((resolve) => (open = resolve))
  return {
    open: () => open(),
    under: () => counts,
    async fetch(input, init) {
      const isUpload = String(input).includes('/storage/v1/object/record-photos/') && init?.method === 'POST'
      if (!isUpload) return fetch(input, init)
      counts.push(++running)
      try {
        await isOpen
        return await fetch(input, init)
      } finally {
        running--
      }
    },
  }
}

test.concurrent(`the rows of ${FILES} files reach the server before any bytes, which follow two files at a time`, async () => {
  const gate = openUploadGate()
  await using device = await openPhotoDevice(gate.fetch)
  const { holdfast, link } = device
  const onServer = async (): Promise<unknown> =>
    (
      await holdfast.admin.query(sql`
        select count(*)::int as rows, count(p.uploaded_at)::int as sent, count(o.id)::int as objects
          from public.photos p left join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path
         where p.caption = 'One of many'`)
    )[0]

  link.sever()
  for (let file = 0; file < FILES; file++) await device.take(new Uint8Array(FILE_BYTES), 'One of many')
  link.limitRate(BAD_LINE, 'up')
  link.mend()
  await vi.waitFor(async () => expect(await onServer()).toEqual({ rows: FILES, sent: 0, objects: 0 }), PATIENCE)
  await vi.waitFor(() => expect(gate.under()).toHaveLength(2), PATIENCE)

  gate.open()
  await vi.waitFor(async () => expect(await onServer()).toEqual({ rows: FILES, sent: FILES, objects: FILES }), PATIENCE)
  expect(Math.max(...gate.under())).toBe(2)
})

test.concurrent('a photo is uploaded and downloaded in pieces over a connection that keeps breaking', async () => {
  await using device = await openPhotoDevice()
  const { holdfast, link, attachments } = device
  const bytes = new Uint8Array(randomBytes(700_000))
  link.limitRate(BAD_LINE, 'up')
  link.cutAfter(400_000, 'up')
  const id = await device.take(bytes, 'In pieces')
  await vi.waitFor(async () => expect(await attachments.find(id)).toMatchObject({ state: 'linked' }), PATIENCE)
  const { path = '' } = (await attachments.find(id)) ?? {}
  const mina = await holdfast.supabase({ email: 'mina.kaya@northline.example' })
  const { data } = await mina.storage.from('record-photos').download(path)
  expect(data && Buffer.from(await data.arrayBuffer()).equals(bytes)).toBe(true)

  await attachments.freeUpSpace(0)
  expect(await attachments.find(id)).toMatchObject({ state: 'evicted' })
  link.cut()
  link.limitRate(BAD_LINE, 'down')
  link.cutAfter(400_000, 'down')
  await attachments.want(id)
  await vi.waitFor(async () => expect(await attachments.find(id)).toMatchObject({ state: 'cached' }), PATIENCE)
  const here = await attachments.read(id)
  expect(here && Buffer.from(await here.arrayBuffer()).equals(bytes)).toBe(true)
})
