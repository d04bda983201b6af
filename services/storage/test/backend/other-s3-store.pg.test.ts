import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { openS3Backend } from '../../src/backend/s3-backend.ts'
import { describeBackend } from './backend-cases.ts'

/*
 * Runs the same cases against another S3 store, which CI does not have. OpenStack Swift 2.30.1 (Debian 12) passed all on 2026-11-23. Configuration for one replica
 * and one device: `mount_check = false`, a proxy pipeline `catch_errors cache s3api tempauth bulk slo proxy-server` with `location = us-east-1` and
 * `user_test_tester = testing .admin`, and a bucket `bytes`. The key is `test:tester`, the secret `testing`.
 */

const {
  HOLDFAST_TEST_S3_ENDPOINT: endpoint,
  HOLDFAST_TEST_S3_BUCKET: bucket = 'bytes',
  HOLDFAST_TEST_S3_REGION: region = 'us-east-1',
  HOLDFAST_TEST_S3_ACCESS_KEY_ID: accessKeyId = '',
  HOLDFAST_TEST_S3_SECRET_ACCESS_KEY: secretAccessKey = '',
} = process.env

const MIB = 1024 * 1024

describe.skipIf(endpoint === undefined)('another S3 store, which HOLDFAST_TEST_S3_ENDPOINT names', () => {
  for (const [name, partBytes] of [
    ['a bucket', undefined],
    ['a bucket, in parts', 5 * MIB],
  ] as const)
    describeBackend(name, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
      const backend = await openS3Backend({
        settings: {
          endpoint,
          region,
          bucket,
          prefix: `holdfast-test-${randomUUID()}/`,
          credentials: { accessKeyId, secretAccessKey },
          forcePathStyle: true,
          silenceMs: 20_000,
        },
        folder,
        logger: silentLogger,
        ...(partBytes && { partBytes }),
      })
      return {
        backend,
        async [Symbol.asyncDispose]() {
          for await (const { version } of backend.list()) await backend.remove(version)
          await backend[Symbol.asyncDispose]()
          rmSync(folder, { recursive: true })
        },
      }
    })
})
