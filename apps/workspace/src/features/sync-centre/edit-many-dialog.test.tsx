// @vitest-environment happy-dom
import type { HoldfastClient, RejectedChange } from '@holdfast/client'
import { HoldfastProvider } from '@holdfast/react'
import { act } from 'react'
import { expect, test } from 'vitest'
import { TablesProvider } from '../../lib/data/use-tables.tsx'
import { TEST_SCHEMA } from '../../lib/fields/test-fields.test-support.ts'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { EditManyDialog, type EditOf } from './edit-many-dialog.tsx'

const rendered = renderedForEach()
const still = <T,>(value: T): { get(): T; subscribe(): () => void } => ({
  get: () => value,
  subscribe: () => () => undefined,
})
/** A device with only tables. */
const local = { userId: 'ana', schema: still(TEST_SCHEMA), refreshSchema: async () => undefined }
const client = { device: still({ kind: 'open', local }) } as unknown as HoldfastClient

const change = (id: string): RejectedChange => ({
  id,
  at: '2026-11-20T12:00:00Z',
  position: 1,
  table: 'tasks',
  recordId: id,
  op: 'PATCH',
  operations: [{ op_id: 1, op: 'PATCH', type: 'tasks', id, data: { detail: 'Wrong pump' } }],
  verdict: { op_id: 1, status: 'error', sqlstate: '23514', message: 'no' },
  serverRow: undefined,
  held: [],
  state: 'open',
  decidedAt: undefined,
})

test('a field that is emptied for all changes stays empty, and is sent so', () => {
  const sent: EditOf[] = []
  const changes = ['a', 'b', 'c'].map(change)
  act(() =>
    rendered.root.render(
      <HoldfastProvider client={client}>
        <TablesProvider>
          <EditManyDialog
            changes={changes}
            isPending={false}
            error={undefined}
            onClose={() => undefined}
            onSend={(edit) => void sent.push(edit)}
          />
        </TablesProvider>
      </HoldfastProvider>,
    ),
  )
  const field = document.querySelector<HTMLInputElement>('form input')
  if (!field) throw new Error('there is a field')
  expect(field.value).toBe('Wrong pump')
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, '')
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
  expect(field.value).toBe('')
  act(() => void document.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true })))
  expect(changes.map((one) => sent[0]?.(one)[0])).toEqual(
    ['a', 'b', 'c'].map((recordId) => [{ table: 'tasks', recordId, values: { detail: null } }]),
  )
})
