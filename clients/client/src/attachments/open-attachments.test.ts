import { expect, test, vi } from 'vitest'
import { createValue } from '../value.ts'
import type { SessionState } from '../session/session-state.ts'
import type { AttachmentsOptions } from './attachments-options.ts'
import { REST_MS } from './limits.ts'
import { openAttachments, type OpenAttachments } from './open-attachments.ts'
import { openPlayedFiles, type PlayedFiles } from './played-files.test-support.ts'
import { fetchSender } from './transfer/body-sender.ts'

const PATIENCE = { timeout: 20_000, interval: 10 }

function open(device: PlayedFiles, options: Partial<AttachmentsOptions>): Promise<OpenAttachments> {
  const { fetch } = device.storage
  const user = { id: 'dana', email: undefined }
  return openAttachments(
    device.database,
    { files: async () => device.store, bucket: 'photos', rows: 'select id, path from photos', ...options },
    {
      userId: user.id,
      url: 'http://played.example',
      anonKey: 'anon',
      tokens: { token: async () => 'dana', refreshedToken: async () => 'dana' },
      session: createValue<SessionState>({ kind: 'active', user }),
      schema: createValue({ version: '1', tables: [] }),
      fetch,
      bodies: fetchSender(fetch),
      isWanted: () => true,
      now: Date.now,
      random: () => 0.5,
      onProblem: (error) => void device.problems.push(error),
    },
  )
}

test('files go up although the first look at the stored ones failed', async () => {
  const { setTimeout: set } = globalThis
  const spy = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((run: () => void, ms?: number) => set(run, ms === REST_MS ? 0 : ms)) as typeof setTimeout)
  await using device = await openPlayedFiles()
  const { id } = await device.add(new Blob(['photo']))
  await device.acceptOutbox()
  const { list } = device.store
  let looks = 0
  device.store = { ...device.store, list: () => (++looks === 1 ? Promise.reject(new Error('busy')) : list()) }
  const opened = await open(device, {})
  try {
    await expect.poll(() => device.state(id), PATIENCE).toBe('linked')
    expect(device.problems).toEqual([new Error('busy')])
  } finally {
    await opened.close()
    spy.mockRestore()
  }
})
