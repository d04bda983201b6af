import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { openHoldfast, runHoldfast } from '@holdfast/test-support'

// `holdfast storage verify` is the operator's own command: it has to tell the truth while the server runs, and when it does not.

test('rows and bytes are compared while the server runs, and when it does not', async () => {
  await using holdfast = await openHoldfast({})
  const storage = createClient(holdfast.url, holdfast.serviceRoleKey, { auth: { persistSession: false } }).storage
  expect((await storage.createBucket('plans')).error).toBeNull()
  const plans = storage.from('plans')
  for (const name of ['a.txt', 'b.txt']) expect((await plans.upload(name, `plan ${name}`)).error).toBeNull()
  const verify = async (...more: readonly string[]): Promise<string> =>
    runHoldfast('storage', 'verify', `--data-dir=${holdfast.dataDir}`, ...more)

  expect(JSON.parse(await verify('--json'))).toMatchObject({ equal: true, objects: 2, versions: 2, faults: [] })
  expect(await verify()).toContain('Equal: every object has its bytes')

  await holdfast.stop()
  expect(JSON.parse(await verify('--json'))).toMatchObject({ equal: true, objects: 2, versions: 2 })

  rmSync(join(holdfast.dataDir, 'storage', 'versions'), { recursive: true })
  const failed = await verify().then(
    () => undefined,
    (error: { code: number; stdout: string }) => error,
  )
  expect(failed?.code).toBe(1)
  expect(failed?.stdout).toContain('plans/a.txt: MISSING, there are no bytes')
  expect(failed?.stdout).toContain('NOT EQUAL')
})
