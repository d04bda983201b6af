import type { Lsn } from '@holdfast/replication'
import { expect, test } from 'vitest'
import type { RowChange } from '../../rows/apply-changes.ts'
import { TransactionBuffer } from './transaction-buffer.ts'

const change = (name: string): RowChange => ({ name }) as unknown as RowChange
const open = (xid: number): { readonly xid: number; readonly commitLsn: Lsn } => ({
  xid,
  commitLsn: BigInt(xid) as Lsn,
})

test('transactions before one that is still arriving are taken without it', () => {
  const buffer = new TransactionBuffer()
  buffer.begin(open(1))
  buffer.add(change('a'))
  buffer.commit()
  buffer.begin(open(2))
  buffer.add(change('b'))
  expect(buffer.holdsEarlier).toBe(true)
  expect(buffer.takeEarlier()).toEqual([change('a')])
  expect(buffer.holdsEarlier).toBe(false)
  expect(buffer.take()).toEqual([change('b')])
})

test('nothing is taken before the end of a transaction of which some changes have been routed', () => {
  const buffer = new TransactionBuffer()
  buffer.begin(open(1))
  buffer.add(change('a'))
  buffer.routeOpen()
  buffer.take()
  buffer.add(change('b'))
  expect(buffer.takeEarlier()).toBeUndefined()
  expect(buffer.size).toBe(1)
})

test('the author is who the first message of the transaction names, if any', () => {
  const buffer = new TransactionBuffer()
  buffer.begin(open(1))
  buffer.setAuthor('alice')
  buffer.setAuthor('bob')
  expect(buffer.author).toBe('alice')
  buffer.begin(open(2))
  buffer.setAuthor(null)
  buffer.setAuthor('bob')
  expect(buffer.author).toBeNull()
})
