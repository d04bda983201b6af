// @vitest-environment happy-dom
import type { HoldfastClient } from '@holdfast/client'
import { HoldfastProvider } from '@holdfast/react'
import { act } from 'react'
import { expect, test } from 'vitest'
import { toTableInfo } from '../../../lib/data/tables.ts'
import { TEST_FIELDS, TEST_SCHEMA, TEST_TASKS } from '../../../lib/fields/test-fields.test-support.ts'
import type { RecordWriter } from '../../../lib/records/create-record-writer.ts'
import { renderedForEach } from '../../../lib/rendered.test-support.ts'
import { ArrangeDialog } from './arrange-dialog.tsx'

const rendered = renderedForEach()
const still = <T,>(value: T): { get(): T; subscribe(): () => void } => ({
  get: () => value,
  subscribe: () => () => undefined,
})
const client = { device: still({ kind: 'open', local: { schema: still(TEST_SCHEMA) } }) } as unknown as HoldfastClient

test('an arrangement that is saved with two presses is written once', async () => {
  const ends: ((isStored: boolean) => void)[] = []
  const writer = {
    write: () => new Promise((resolve) => void ends.push(resolve)),
  } as Pick<RecordWriter, 'write'> as RecordWriter
  let isClosed = false
  act(() =>
    rendered.root.render(
      <HoldfastProvider client={client}>
        <ArrangeDialog
          table={toTableInfo(TEST_TASKS)}
          fields={TEST_FIELDS}
          writer={writer}
          onClose={() => {
            isClosed = true
          }}
        />
      </HoldfastProvider>,
    ),
  )
  const save = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Save for everyone')
  act(() => save?.click())
  act(() => save?.click())
  expect(ends).toHaveLength(1)
  await act(async () => ends[0]?.(true))
  expect(isClosed).toBe(true)
})
