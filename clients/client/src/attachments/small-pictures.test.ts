import { expect, test, vi } from 'vitest'
import { SMALL_PICTURE_BYTES_MAX, SMALL_PICTURES_MAX } from './limits.ts'
import { openPlayedFiles, type PlayedFiles } from './played-files.test-support.ts'

const PATIENCE = { timeout: 20_000, interval: 10 }
const SIZE = '96x96'
/** Every byte value, to detect conversion to text. */
const PICTURE = new Blob([Uint8Array.from({ length: 256 }, (_, byte) => byte)], { type: 'image/webp' })

/** A file uploaded by another device, without local bytes. */
async function addRemote(device: PlayedFiles): Promise<string> {
  const id = crypto.randomUUID()
  await device.database.execute("insert into photos (id, path, state, is_due) values (?, ?, 'uploaded', 0)", [id, id])
  await expect.poll(() => device.state(id), PATIENCE).toBe('remote')
  return id
}

function countKept(device: PlayedFiles): Promise<number> {
  return device.database
    .get<{ kept: number }>('select count(*) as kept from hf_local_pictures')
    .then(({ kept }) => kept)
}

test('a small picture is kept by size, though the bytes of its file are not here', async () => {
  await using device = await openPlayedFiles()
  device.lead()
  const id = await addRemote(device)
  device.attachments.keepPicture(id, SIZE, PICTURE)
  await expect.poll(() => device.attachments.picture(id, SIZE), PATIENCE).toBeDefined()
  const kept = await device.attachments.picture(id, SIZE)
  expect(kept?.type).toBe('image/webp')
  expect(await kept?.bytes()).toEqual(await PICTURE.bytes())
  expect(await device.attachments.picture(id, '320x320')).toBeUndefined()
  expect(device.problems).toEqual([])
})

test('the pictures of a screen are written in one transaction', async () => {
  await using device = await openPlayedFiles()
  device.lead()
  const ids: string[] = []
  for (let one = 0; one < 5; one++) ids.push(await addRemote(device))
  const transactions = vi.spyOn(device.database, 'writeTransaction')
  for (const id of ids) device.attachments.keepPicture(id, SIZE, PICTURE)
  await expect.poll(() => countKept(device), PATIENCE).toBe(5)
  expect(transactions).toHaveBeenCalledTimes(1)
})

test('a picture leaves the device with the row of its file, and does not come after it', async () => {
  await using device = await openPlayedFiles()
  device.lead()
  const id = await addRemote(device)
  device.attachments.keepPicture(id, SIZE, PICTURE)
  await expect.poll(() => countKept(device), PATIENCE).toBe(1)
  await device.database.execute('delete from photos where id = ?', [id])
  await expect.poll(() => countKept(device), PATIENCE).toBe(0)

  const other = await addRemote(device)
  device.attachments.keepPicture(id, SIZE, PICTURE)
  device.attachments.keepPicture(other, SIZE, PICTURE)
  await expect.poll(() => device.attachments.picture(other, SIZE), PATIENCE).toBeDefined()
  expect(await device.attachments.picture(id, SIZE)).toBeUndefined()
})

test('of too many pictures the oldest go, and a large one is not kept', async () => {
  await using device = await openPlayedFiles()
  device.lead()
  const id = await addRemote(device)
  device.attachments.keepPicture(id, 'large', new Blob([new Uint8Array(SMALL_PICTURE_BYTES_MAX + 1)]))
  for (let one = 0; one < SMALL_PICTURES_MAX; one++) device.attachments.keepPicture(id, String(one), PICTURE)
  await expect.poll(() => countKept(device), PATIENCE).toBe(SMALL_PICTURES_MAX)
  expect(await device.attachments.picture(id, 'large')).toBeUndefined()
  device.nowMs += 1_000
  device.attachments.keepPicture(id, 'newest', PICTURE)
  await expect.poll(() => countKept(device), PATIENCE).toBe(SMALL_PICTURES_MAX * 0.8)
  expect(await device.attachments.picture(id, 'newest')).toBeDefined()
})
