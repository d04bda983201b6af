// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { expect, test } from 'vitest'
import { toTableInfo } from '../../lib/data/tables.ts'
import { TEST_TASKS, testField } from '../../lib/fields/test-fields.test-support.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { FULL, type NotStored } from '../../lib/records/not-stored.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { type RecordEdits, useRecordEdits } from './use-record-edits.ts'

const rendered = renderedForEach()
const TABLE = toTableInfo(TEST_TASKS)
const TITLE = testField('title')

/** A record whose writes end when the test says so. */
function openRecord(): {
  readonly edits: () => RecordEdits
  report(values: RecordValues): void
  /** Ends the oldest write that has not ended. */
  end(notStored?: NotStored): Promise<void>
} {
  const ends: ((notStored: NotStored | undefined) => void)[] = []
  const writer = {
    tryWrite: () => new Promise<NotStored | undefined>((resolve) => ends.push(resolve)),
  } as Partial<RecordWriter> as RecordWriter
  const shown: RecordEdits[] = []
  const onEdits = (edits: RecordEdits): void => void shown.push(edits)
  return {
    edits: () => shown.at(-1) as RecordEdits,
    report: (values) => act(() => rendered.root.render(<Record {...{ values, writer, onEdits }} />)),
    end: (notStored) => act(async () => ends.shift()?.(notStored)),
  }
}

function Record({
  values,
  writer,
  onEdits,
}: {
  readonly values: RecordValues
  readonly writer: RecordWriter
  readonly onEdits: (edits: RecordEdits) => void
}): null {
  const edits = useRecordEdits(TABLE, '1', values, writer)
  useEffect(() => onEdits(edits))
  return null
}

test('an edit is shown at once, and stays when the database reports the record before it is stored', async () => {
  const record = openRecord()
  record.report({ title: 'old', note: 'a' })
  act(() => void record.edits().commit(TITLE, 'new'))
  expect(record.edits().values).toEqual({ title: 'new', note: 'a' })
  record.report({ title: 'old', note: 'b' })
  expect(record.edits().values).toEqual({ title: 'new', note: 'b' })
  await record.end()
  expect(record.edits().values).toEqual({ title: 'new', note: 'b' })
  record.report({ title: 'new', note: 'b' })
  record.report({ title: 'newer, from elsewhere', note: 'b' })
  expect(record.edits().values['title']).toBe('newer, from elsewhere')
})

test('a value from elsewhere is shown once the edit is stored and reported, in either order', async () => {
  const record = openRecord()
  record.report({ title: 'old' })
  act(() => void record.edits().commit(TITLE, 'new'))
  record.report({ title: 'new' })
  await record.end()
  record.report({ title: 'from elsewhere' })
  expect(record.edits().values['title']).toBe('from elsewhere')
})

test('of two edits of a field the later one is shown, although the first is stored before it', async () => {
  const record = openRecord()
  record.report({ title: 'old' })
  act(() => void record.edits().commit(TITLE, 'first'))
  act(() => void record.edits().commit(TITLE, 'second'))
  await record.end()
  record.report({ title: 'first' })
  expect(record.edits().values['title']).toBe('second')
})

test('a value that is not stored gives way to the previous one', async () => {
  const record = openRecord()
  record.report({ title: 'old' })
  act(() => void record.edits().commit(TITLE, 'new'))
  await record.end(FULL)
  expect(record.edits().values['title']).toBe('old')
})
