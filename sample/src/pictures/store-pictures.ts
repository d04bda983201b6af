import { Buffer } from 'node:buffer'
import { assert } from '@holdfast/foundation'
import { drawPicture, PICTURES, picturePath } from './pictures.ts'

/** The part of a server that is used here: it answers without a network. */
export interface StorageApi {
  request(request: {
    readonly method: 'POST'
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly payload: Buffer | string
  }): Promise<{ readonly statusCode: number; readonly body: string }>
}

/** Concurrent uploads. */
const TOGETHER = 4

/**
 * Uploads the pictures of the sample that are not in storage yet, over its public API. The next start completes an interrupted upload.
 *
 * @param serviceKey - of the project, as an administrator has it
 * @param drawn - all of them, if they have been drawn already
 */
export async function storePictures(
  api: StorageApi,
  serviceKey: string,
  seed: number,
  drawn: readonly Buffer[] = [],
): Promise<void> {
  const missing = await listMissing(api, serviceKey)
  const store = async (): Promise<void> => {
    for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
      await send(api, serviceKey, `/storage/v1/object/record-photos/${picturePath(index)}`, {
        headers: { 'content-type': 'image/png', 'cache-control': 'max-age=31536000' },
        payload: drawn[index] ?? (await drawPicture(seed, index)),
      })
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, store))
}

async function listMissing(api: StorageApi, serviceKey: string): Promise<number[]> {
  const body = await send(api, serviceKey, '/storage/v1/object/list/record-photos', {
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ prefix: 'northline', limit: PICTURES + 1 }),
  })
  const there = new Set(
    (JSON.parse(body) as readonly { readonly name: string }[]).map(({ name }) => `northline/${name}`),
  )
  return Array.from({ length: PICTURES }, (_, index) => index).filter((index) => !there.has(picturePath(index)))
}

async function send(
  api: StorageApi,
  serviceKey: string,
  url: string,
  { payload, headers }: { readonly payload: Buffer | string; readonly headers: Readonly<Record<string, string>> },
): Promise<string> {
  const authorization = { apikey: serviceKey, authorization: `Bearer ${serviceKey}` }
  const { statusCode, body } = await api.request({
    method: 'POST',
    url,
    headers: { ...headers, ...authorization },
    payload,
  })
  assert(statusCode === 200, `storage took ${url}: ${statusCode} ${body.slice(0, 200)}`)
  return body
}
