import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import {
  createClient,
  folderFiles,
  memoryStore,
  UnsentChanges,
  type Attachments,
  type HoldfastClient,
} from '@holdfast/client'
import {
  createNotes,
  databaseIn,
  openFaultyLink,
  openHoldfast,
  SAMPLE_PASSWORD,
  type FaultyLink,
  type Holdfast,
} from '@holdfast/test-support'

/*
 * Files on a shared device: no user sees another user's bytes, and unsent bytes are never lost silently.
 */

const MINA = 'mina.kaya@northline.example'
const DANA = 'dana.okafor@northline.example'

let holdfast: Holdfast
let link: FaultyLink
let folder: string
let client: HoldfastClient

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
})

afterAll(() => holdfast?.[Symbol.asyncDispose]())

beforeEach(async () => {
  link = await openFaultyLink(holdfast.url)
  folder = mkdtempSync(join(tmpdir(), 'holdfast-shared-files-'))
  client = createClient({
    url: link.url,
    anonKey: holdfast.anonKey,
    store: memoryStore(),
    openDatabase: databaseIn(folder),
    attachments: {
      files: folderFiles(join(folder, 'files')),
      bucket: 'photos',
      rows: 'select id, marker as path from notes',
    },
    onProblem: () => undefined,
  })
})

afterEach(async () => {
  await client[Symbol.asyncDispose]()
  await link[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function signIn(email: string): Promise<{ readonly attachments: Attachments; readonly userId: string }> {
  const { error } = await client.supabase.auth.signInWithPassword({ email, password: SAMPLE_PASSWORD })
  if (error) throw error
  return vi.waitFor(
    async () => {
      const state = client.device.get()
      if (state.kind !== 'open') throw new Error(`the device is ${state.kind}`)
      await state.local.database.waitForFirstSync(AbortSignal.timeout(60_000))
      const { attachments, userId } = state.local
      if (!attachments) throw new Error('the app keeps no files')
      return { attachments, userId }
    },
    { timeout: 60_000, interval: 20 },
  )
}

/** Takes a photo that cannot be uploaded: the device is offline and the server lacks its note. */
async function takePhoto(text: string): Promise<{ readonly id: string; readonly userId: string }> {
  const { attachments, userId } = await signIn(MINA)
  link.sever()
  const { id } = await attachments.add(new Blob([text]), { name: 'photo.jpg' }, (tx, file) =>
    tx.execute('insert into notes (id, owner_id, shared, marker, amount) values (?, ?, 0, ?, 1)', [
      file.id,
      userId,
      file.path,
    ]),
  )
  return { id, userId }
}

test('an unsent photo is kept for its user and hidden from other users', async () => {
  const { id } = await takePhoto('of Mina')
  await client.signOut('keep')
  expect(client.people.get()).toMatchObject([{ email: MINA, unsent: 2 }])
  link.mend()
  const dana = await signIn(DANA)
  expect(await dana.attachments.find(id)).toBeUndefined()
  expect(await dana.attachments.read(id)).toBeUndefined()
  await client.signOut('keep')
  const kept = await (await signIn(MINA)).attachments.read(id)
  expect(await kept?.text()).toBe('of Mina')
})

test('signing out does not wipe an unsent photo unless the user confirms it', async () => {
  const { userId } = await takePhoto('not sent')
  await expect(client.signOut('wipe')).rejects.toThrow(UnsentChanges)
  await expect(client.signOut('wipe')).rejects.toMatchObject({ waiting: 1, files: 1 })
  const own = join(folder, 'files', userId)
  expect(readdirSync(own)).toHaveLength(1)
  await client.signOut('wipe', { discardUnsent: true })
  expect(existsSync(own) ? readdirSync(own) : []).toEqual([])
})
