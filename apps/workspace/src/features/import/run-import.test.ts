// @vitest-environment happy-dom
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { expect, test } from 'vitest'
import { guardTyping } from '../../lib/data/typing.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { runImport } from './run-import.ts'

guardTyping()

function asksToLeave(): boolean {
  const event = new Event('beforeunload', { cancelable: true })
  dispatchEvent(event)
  return event.defaultPrevented
}

test('the browser asks before the page goes while an import is written, and not after it', async () => {
  const writing = Promise.withResolvers<void>()
  const database = { writeTransaction: () => writing.promise } as unknown as CommonPowerSyncDatabase
  const changes: RecordChange[] = [{ kind: 'insert', table: 'tasks', id: 't', values: { title: 'One' } }]
  const { signal } = new AbortController()
  const imported = runImport({ database, fileName: 'a.csv', changes, signal, onProgress: () => undefined }, [])
  expect(asksToLeave()).toBe(true)
  writing.resolve()
  await imported
  expect(asksToLeave()).toBe(false)
})
