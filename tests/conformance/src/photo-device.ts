import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { createClient, folderFiles, memoryStore, type Attachments, type LocalDatabase } from '@holdfast/client'
import { databaseIn, openFaultyLink, openHoldfast, SAMPLE_PASSWORD } from '@holdfast/test-support'
import type { FaultyLink, Holdfast } from '@holdfast/test-support'

export const PATIENCE = { timeout: 120_000, interval: 50 }

/** A device of Mina, who takes photos of findings, on a line of its own to a server with the sample. */
export interface PhotoDevice extends AsyncDisposable {
  readonly holdfast: Holdfast
  readonly link: FaultyLink
  readonly database: LocalDatabase['database']
  readonly attachments: Attachments
  /** Takes a photo of some finding. @returns its id */
  take(bytes: Uint8Array<ArrayBuffer>, caption: string): Promise<string>
}

/** @param given - of the client, in place of the runtime's */
export async function openPhotoDevice(given: typeof fetch = fetch): Promise<PhotoDevice> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-photo-device-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const holdfast = opened.use(await openHoldfast({ sample: true }))
  const link = opened.use(await openFaultyLink(holdfast.url))
  const client = opened.use(
    createClient({
      url: link.url,
      anonKey: holdfast.anonKey,
      store: memoryStore(),
      fetch: given,
      openDatabase: databaseIn(folder),
      attachments: {
        files: folderFiles(join(folder, 'files')),
        bucket: 'record-photos',
        rows: 'select id, path, media_type, size, uploaded_at is not null as is_uploaded from photos where path is not null',
        link: (tx, { id }) =>
          tx.execute('update photos set uploaded_at = ? where id = ?', [new Date().toISOString(), id]),
      },
      onProblem: () => undefined,
    }),
  )
  const account = { email: 'mina.kaya@northline.example', password: SAMPLE_PASSWORD }
  const { error } = await client.supabase.auth.signInWithPassword(account)
  if (error) throw error
  const { database, attachments } = await vi.waitFor(async () => {
    const state = client.device.get()
    if (state.kind !== 'open' || !state.local.attachments) throw new Error(`the device is ${state.kind}`)
    await state.local.database.waitForFirstSync(AbortSignal.timeout(60_000))
    return { database: state.local.database, attachments: state.local.attachments }
  }, PATIENCE)
  const finding = await database.get<{ id: string }>('select id from findings order by id limit 1')
  const ending = opened.move()
  return {
    holdfast,
    link,
    database,
    attachments,
    async take(bytes, caption) {
      const photo = new Blob([bytes], { type: 'image/jpeg' })
      const file = await attachments.add(photo, {}, (tx, { id, path }) =>
        tx.execute(
          `insert into photos (id, finding_id, path, media_type, size, caption) values (?, ?, ?, 'image/jpeg', ?, ?)`,
          [id, finding.id, path, bytes.byteLength, caption],
        ),
      )
      return file.id
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  }
}
