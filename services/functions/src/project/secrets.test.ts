import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { readSecrets } from './secrets.ts'

test('the first secret of a file with a byte order mark has its name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, '.env'), '\uFEFFMAIL_KEY=a\r\nOTHER=1\r\n')
  expect(readSecrets({}, join(folder, '.env'), {}, silentLogger)).toEqual({ MAIL_KEY: 'a', OTHER: '1' })
})
