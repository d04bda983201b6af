// @vitest-environment happy-dom
import { act, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openOfflineClient, PATIENCE, type OfflineClient } from './offline-client.test-support.tsx'
import { useAttachmentUpload } from './use-attachment-upload.ts'
import { useAttachment } from './use-attachment.ts'
import { useAttachments } from './use-attachments.ts'

const PNG = new Uint8Array([137, 80, 78, 71])

let offline: OfflineClient
const given = new Map<string, Blob>()
const returned: string[] = []
beforeEach(async () => {
  offline = await openOfflineClient()
  given.clear()
  returned.length = 0
  let count = 0
  vi.spyOn(URL, 'createObjectURL').mockImplementation((bytes) => {
    const url = `blob:test/${(count += 1)}`
    given.set(url, bytes as Blob)
    return url
  })
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void returned.push(url))
})
afterEach(async () => {
  await offline[Symbol.asyncDispose]()
  vi.restoreAllMocks()
})

/** A file of a local row. */
async function add(id: string, mediaType = 'image/png'): Promise<void> {
  const { attachments } = await offline.opened()
  await attachments?.add(new Blob([PNG], { type: mediaType }), { id, mediaType }, (tx, file) =>
    tx.execute('insert into photos (id, path) values (?, ?)', [id, file.path]),
  )
}

test('a file of this device has an address while it is shown', async () => {
  await add('one')
  const { result, unmount } = offline.render(() => useAttachment('one'))
  expect(result.current).toMatchObject({ file: undefined, url: undefined, isLoading: true })
  await waitFor(() => expect(result.current?.url).toBe('blob:test/1'), PATIENCE)
  expect(result.current).toMatchObject({
    isLoading: false,
    file: { id: 'one', mediaType: 'image/png', size: PNG.length },
  })
  expect(given.get('blob:test/1')?.type).toBe('image/png')
  expect(returned).toEqual([])
  unmount()
  expect(returned).toEqual(['blob:test/1'])
})

test('another file has an address of its own, and that of the first is given back', async () => {
  await add('one')
  await add('two')
  const { result, rerender } = offline.render(({ id }: { readonly id: string }) => useAttachment(id), {
    initialProps: { id: 'one' },
  })
  await waitFor(() => expect(result.current?.url).toBe('blob:test/1'), PATIENCE)
  rerender({ id: 'two' })
  expect(result.current?.url).toBeUndefined()
  expect(returned).toEqual(['blob:test/1'])
  await waitFor(() => expect(result.current?.url).toBe('blob:test/2'), PATIENCE)
})

test('a file that is shown again at once never has the address that was given back', async () => {
  await add('one')
  await add('two')
  const urls: (string | undefined)[] = []
  const { result, rerender } = offline.render(
    ({ id }: { readonly id: string }) => {
      const shown = useAttachment(id)
      urls.push(shown.url)
      return shown
    },
    { initialProps: { id: 'one' } },
  )
  await waitFor(() => expect(result.current?.url).toBe('blob:test/1'), PATIENCE)
  rerender({ id: 'two' })
  await waitFor(() => expect(returned).toEqual(['blob:test/1']), PATIENCE)
  urls.length = 0
  rerender({ id: 'one' })
  await waitFor(() => expect(result.current?.file?.id).toBe('one'), PATIENCE)
  await waitFor(() => expect(result.current?.url).toBeDefined(), PATIENCE)
  expect(urls).not.toContain('blob:test/1')
})

test.each([
  ['image/svg+xml', 'application/octet-stream'],
  ['text/html', 'application/octet-stream'],
  ['application/pdf', 'application/pdf'],
  ['video/mp4', 'video/mp4'],
])('the address of %s has the type %s', async (mediaType, shown) => {
  await add('one', mediaType)
  const { result } = offline.render(() => useAttachment('one'))
  await waitFor(() => expect(result.current?.url).toBeDefined(), PATIENCE)
  expect(given.get(result.current?.url ?? '')?.type).toBe(shown)
})

test('bytes that are on the server only are asked for, because they are shown', async () => {
  const { database } = await offline.opened()
  await database.execute(`insert into photos (id, path) values ('far', 'ana/far.png')`)
  const { result } = offline.render(() => useAttachment('far'))
  await waitFor(() => expect(result.current?.file?.state).toBe('queued_download'), PATIENCE)
  expect(result.current).toMatchObject({ url: undefined, isLoading: true })
})

test('bytes that gave way while they are shown are not fetched again and again, but when they are asked for', async () => {
  await add('one')
  const { database } = await offline.opened()
  const { result } = offline.render(() => useAttachment('one'))
  await waitFor(() => expect(result.current?.url).toBeDefined(), PATIENCE)
  await database.execute(`update hf_local_files set state = 'evicted', bytes_name = null where id = 'one'`)
  await waitFor(() => expect(result.current).toMatchObject({ file: { state: 'evicted' }, isLoading: false }), PATIENCE)
  await result.current?.load()
  await waitFor(() => expect(result.current?.file?.state).toBe('queued_download'), PATIENCE)
})

test('bytes that cannot be read are told of, and not as an error that nobody caught', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  await add('one')
  const { attachments } = await offline.opened()
  const error = new Error('the disk is away')
  vi.spyOn(attachments as NonNullable<typeof attachments>, 'read').mockRejectedValue(error)
  const { result } = offline.render(() => useAttachment('one'))
  await waitFor(() => expect(warned).toHaveBeenCalledWith(error), PATIENCE)
  expect(result.current?.url).toBeUndefined()
})

test('nothing is asked for without an id', async () => {
  const { result } = offline.render(() => useAttachment(undefined))
  expect(result.current).toMatchObject({ file: undefined, url: undefined, isLoading: false })
  await expect(result.current?.retry()).resolves.toBeUndefined()
})

test('files that are only on this device are listed with what keeps them', async () => {
  const { result } = offline.render(() => useAttachmentUpload())
  expect(result.current?.unsent).toEqual([])
  await act(async () => {
    await result.current?.add(new Blob([PNG], { type: 'image/png' }), { id: 'one' })
  })
  await waitFor(() => expect(result.current?.unsent).toMatchObject([{ id: 'one', size: PNG.length }]), PATIENCE)
  expect(result.current?.pause).toBe('sign_in')
})

test('a client that keeps no files says so', async () => {
  await using without = await openOfflineClient({ hasFiles: false })
  vi.spyOn(console, 'error').mockImplementation(() => undefined) // React prints component errors
  expect(() => without.render(() => useAttachments())).toThrow('createClient() was given no attachments')
})
