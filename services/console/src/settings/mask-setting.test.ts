import { expect, test } from 'vitest'
import type { Setting } from '@holdfast/protocol'
import { maskSetting } from './mask-setting.ts'

const PORT: Setting = {
  name: 'dbPort',
  group: 'Server',
  description: '',
  kind: 'number',
  default: '54322',
  value: '6000',
  isHidden: false,
  origin: { kind: 'flag', where: '--db-port' },
  flag: '--db-port',
  variable: 'HOLDFAST_DB_PORT',
}

test('viewers see numbers, switches and defaults', () => {
  expect(maskSetting(PORT)).toEqual(PORT)
  expect(maskSetting({ ...PORT, kind: 'switch', default: 'true', value: 'false' }).value).toBe('false')
  expect(maskSetting({ ...PORT, kind: 'text', default: '127.0.0.1', value: '127.0.0.1' }).value).toBe('127.0.0.1')
  expect(maskSetting({ ...PORT, kind: 'text', default: null, value: null }).isHidden).toBe(false)
})

test.each(['text', 'list', 'json'] as const)('viewers see only that a %s is set', (kind) => {
  const masked = maskSetting({ ...PORT, kind, default: null, value: 'olga@ops.example' })
  expect(masked).toMatchObject({ value: null, isHidden: true, origin: PORT.origin })
})
