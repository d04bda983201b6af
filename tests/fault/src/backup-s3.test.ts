import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { openHoldfast, runHoldfast } from '@holdfast/test-support'

/*
 * Files in an S3-compatible store, here the S3 endpoint of a second instance, are no part of a backup, which says so. They are there after a restore.
 */

test('a backup names the store that keeps the files, and a restored server reads them there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-backup-s3-'))
  await using store = await openHoldfast()
  const bytes = createClient(store.url, store.serviceRoleKey, { auth: { persistSession: false } }).storage
  expect((await bytes.createBucket('bytes')).error).toBeNull()
  const settings = [
    '--storage-s3-bucket=bytes',
    `--storage-s3-endpoint=${store.s3.endpoint}`,
    `--storage-s3-access-key-id=${store.s3.accessKeyId}`,
    `--storage-s3-secret-access-key=${store.s3.secretAccessKey}`,
  ]
  // From an empty folder: one that was initialised has its files on disk.
  await using holdfast = await openHoldfast({ args: settings, prepareDataDir: async () => undefined })
  const files = createClient(holdfast.url, holdfast.serviceRoleKey, { auth: { persistSession: false } }).storage
  expect((await files.createBucket('plans')).error).toBeNull()
  const plans = files.from('plans')
  expect((await plans.upload('roof.txt', 'before the backup')).error).toBeNull()

  const target = join(folder, 'backup')
  const told = await runHoldfast('backup', target, `--data-dir=${holdfast.dataDir}`, ...settings)
  expect(told).toContain('the bucket bytes')
  expect((await plans.upload('later.txt', 'after the backup')).error).toBeNull()

  await holdfast.stop()
  renameSync(holdfast.dataDir, join(folder, 'lost'))
  await runHoldfast('restore', target, `--data-dir=${holdfast.dataDir}`)
  await holdfast.restart()
  expect(await (await plans.download('roof.txt')).data?.text()).toBe('before the backup')
  expect((await plans.download('later.txt')).error).not.toBeNull()
  const compared = JSON.parse(
    await runHoldfast('storage', 'verify', '--json', `--data-dir=${holdfast.dataDir}`, ...settings),
  ) as { readonly equal: boolean }
  expect(compared).toMatchObject({ faults: [] })
  await holdfast.stop()
  rmSync(folder, { recursive: true, force: true })
})
