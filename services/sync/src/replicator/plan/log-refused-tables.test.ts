import { expect, test } from 'vitest'
import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { logRefusedTables } from './log-refused-tables.ts'

test('tables of Holdfast that are not meant for devices are logged last, for debugging only', () => {
  const lines: string[] = []
  const logger: Logger = { log: (level, _message, fields) => void lines.push(`${level} ${String(fields?.['table'])}`) }
  const refused = [
    { schema: 'holdfast', name: 'history', oid: 1, reason: 'no policy' },
    { schema: 'holdfast', name: 'views', oid: 2, policy: 'readers', reason: 'unknown function' },
    { schema: 'public', name: 'notes', oid: 3, reason: 'no policy' },
  ] as unknown as SyncPlan['refused']
  logRefusedTables(logger, { refused, streams: [] } as unknown as SyncPlan, undefined)
  expect(lines).toEqual(['info public.notes', 'debug holdfast.history', 'warn holdfast.views'])
})
