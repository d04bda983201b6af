import { randomBytes } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { Upload } from 'tus-js-client'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { createRandom, pause, REPEATS, seedOfRun } from './world.ts'

/*
 * Invariant: however often the server dies while a file comes in, the client that goes on from what it remembers ends with an object that has exactly its bytes.
 */

const PART = 128 * 1024

/** Sends as tus-js-client does, and ends where a request fails. @returns the address to go on with, and whether the server has everything */
function attempt(
  holdfast: Holdfast,
  bytes: Buffer,
  name: string,
  uploadUrl: string | undefined,
): Promise<[string | undefined, boolean]> {
  return new Promise((resolve) => {
    const upload = new Upload(bytes, {
      ...(uploadUrl === undefined ? { endpoint: `${holdfast.url}/storage/v1/upload/resumable` } : { uploadUrl }),
      headers: { apikey: holdfast.serviceRoleKey, authorization: `Bearer ${holdfast.serviceRoleKey}` },
      metadata: { bucketName: 'videos', objectName: name, contentType: 'video/mp4' },
      chunkSize: PART,
      retryDelays: null,
      onSuccess: () => resolve([upload.url ?? undefined, true]),
      onError: () => resolve([upload.url ?? undefined, false]),
    })
    upload.start()
  })
}

test('an upload in parts survives kill -9 of the server, again and again', async () => {
  const random = createRandom(seedOfRun())
  await using holdfast = await openHoldfast({})
  const storage = createClient(holdfast.url, holdfast.serviceRoleKey, { auth: { persistSession: false } }).storage
  expect((await storage.createBucket('videos')).error).toBeNull()
  for (let round = 0; round < REPEATS; round++) {
    const bytes = randomBytes(6 * 1_048_576)
    const name = `round-${round}.mp4`
    let url: string | undefined
    let isDone = false
    for (let kills = 0; !isDone; kills++) {
      const sending = attempt(holdfast, bytes, name, url)
      if (kills < 3) {
        await pause(random() * 400)
        await holdfast.killAll9()
      }
      const [next, hasAll] = await sending
      url = next ?? url
      if (kills < 3) await holdfast.restart()
      isDone = hasAll
    }
    const { data } = await storage.from('videos').download(name)
    expect(Buffer.from(await (data as Blob).arrayBuffer()).equals(bytes)).toBe(true)
  }
})
