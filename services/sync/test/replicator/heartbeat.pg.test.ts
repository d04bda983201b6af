import { expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { openTestDatabase } from '@holdfast/test-support'
import { syncMigrations } from '../../src/sync.ts'
import { startHeartbeat } from '../../src/replicator/setup/heartbeat.ts'

test('says so when nothing comes back through the slot, until something does', async () => {
  await using db = await openTestDatabase({ migrations: [syncMigrations] })
  await using heartbeat = startHeartbeat({ pool: db.pool, logger: silentLogger, intervalMs: 20, timeoutMs: 100 })
  expect(heartbeat.problem).toBeUndefined()
  await expect.poll(() => heartbeat.problem).toContain('Nothing has come through the replication slot')
  heartbeat.heard()
  expect(heartbeat.problem).toBeUndefined()
})
