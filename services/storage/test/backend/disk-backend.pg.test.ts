import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDiskBackend } from '../../src/backend/disk-backend.ts'
import { describeBackend } from './backend-cases.ts'

describeBackend('a folder of this machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bytes-'))
  const backend = await openDiskBackend(folder)
  return {
    backend,
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})
