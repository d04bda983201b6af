import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createClient, folderFiles, memoryStore, type Attachments, type LocalDatabase } from '@holdfast/client'
import { sql } from '@holdfast/postgres'
import { databaseIn, openFaultyLink, openHoldfast, SAMPLE_PASSWORD } from '@holdfast/test-support'

/*
 * Many files on a bad line: changes of rows do not wait for bytes, and only so many files go up at once that a browser has a connection left for rows.
 */

const FILES = 24
const FILE_BYTES = 20_000
/** Bytes a second in which the files take some seconds. */
const BAD_LINE = 200_000
const PATIENCE = { timeout: 120_000, interval: 50 }

/** Holds uploads of files until it is opened, and counts how many are under way. */
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

test(`the rows of ${FILES} files reach the server before the bytes of one, and the bytes follow two at a time`, async () => {
  await using holdfast = await openHoldfast({ sample: true })
  await using link = await openFaultyLink(holdfast.url)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-many-files-'))
  const gate = openUploadGate()
  await using client = createClient({
    url: link.url,
    anonKey: holdfast.anonKey,
    store: memoryStore(),
    fetch: gate.fetch,
    openDatabase: databaseIn(folder),
    attachments: {
      files: folderFiles(join(folder, 'files')),
      bucket: 'record-photos',
      rows: 'select id, path, media_type, size, uploaded_at is not null as is_uploaded from photos where path is not null',
      link: (tx, { id }) =>
        tx.execute('update photos set uploaded_at = ? where id = ?', [new Date().toISOString(), id]),
    },
    onProblem: () => undefined,
  })
  const { database, attachments } = await openedLocal()
  const [finding] = await database.getAll<{ id: string }>('select id from findings order by id limit 1')
  const onServer = async (): Promise<unknown> =>
    (
      await holdfast.admin.query(sql`
        select count(*)::int as rows, count(p.uploaded_at)::int as sent, count(o.id)::int as objects
          from public.photos p left join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path
         where p.caption = 'One of many'`)
    )[0]

  link.sever()
  for (let file = 0; file < FILES; file++) {
    await attachments.add(new Blob([new Uint8Array(FILE_BYTES)], { type: 'image/jpeg' }), {}, (tx, { id, path }) =>
      tx.execute(
        `insert into photos (id, finding_id, path, media_type, size, caption) values (?, ?, ?, 'image/jpeg', ?, 'One of many')`,
        [id, finding?.id, path, FILE_BYTES],
      ),
    )
  }
  link.limitRate(BAD_LINE, 'up')
  link.mend()
  await vi.waitFor(async () => expect(await onServer()).toEqual({ rows: FILES, sent: 0, objects: 0 }), PATIENCE)
  await vi.waitFor(() => expect(gate.under()).toHaveLength(2), PATIENCE)

  gate.open()
  await vi.waitFor(async () => expect(await onServer()).toEqual({ rows: FILES, sent: FILES, objects: FILES }), PATIENCE)
  expect(Math.max(...gate.under())).toBe(2)
  await client[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })

  async function openedLocal(): Promise<LocalDatabase & { readonly attachments: Attachments }> {
    const { error } = await client.supabase.auth.signInWithPassword({
      email: 'mina.kaya@northline.example',
      password: SAMPLE_PASSWORD,
    })
    if (error) throw error
    return vi.waitFor(async () => {
      const state = client.device.get()
      if (state.kind !== 'open' || !state.local.attachments) throw new Error(`the device is ${state.kind}`)
      await state.local.database.waitForFirstSync(AbortSignal.timeout(60_000))
      return { ...state.local, attachments: state.local.attachments }
    }, PATIENCE)
  }
})
