import { expect, test } from 'vitest'
import { type UnhandledConnection, UnhandledBytes } from './unhandled-bytes.ts'

/** Named connections that record being cut. */
function openConnections() {
  const cut: string[] = []
  const open = (name: string, address: string): UnhandledConnection => ({ address, cut: () => void cut.push(name) })
  return { cut, open }
}

test('above the limit the connection that began first is cut', () => {
  const { cut, open } = openConnections()
  const arriving = new UnhandledBytes(100)
  const [first, second] = [open('first', 'a'), open('second', 'a')]
  arriving.add(first, 40)
  arriving.add(second, 50)
  arriving.add(second, 10)
  expect(cut).toEqual([])
  arriving.add(second, 1)
  expect(cut).toEqual(['first'])
  expect(arriving.bytes).toBe(61)
})

test('an address loses its own connections only while another has more', () => {
  const { cut, open } = openConnections()
  const arriving = new UnhandledBytes(100)
  arriving.add(open('of one', 'one'), 40)
  for (const name of ['1', '2', '3']) arriving.add(open(name, 'other'), 30)
  expect(cut).toEqual(['1'])
  expect(arriving.bytes).toBe(100)
})

test('what has been handled makes room, and who begins again is the last', () => {
  const { cut, open } = openConnections()
  const arriving = new UnhandledBytes(100)
  const [first, second] = [open('first', 'a'), open('second', 'a')]
  arriving.add(first, 60)
  arriving.add(second, 40)
  arriving.remove(first, 60)
  arriving.add(first, 60)
  arriving.add(first, 1)
  expect(cut).toEqual(['second'])
})

test('a connection that has ended counts no more, whatever of it is handled later', () => {
  const { cut, open } = openConnections()
  const arriving = new UnhandledBytes(100)
  const one = open('one', 'a')
  arriving.add(one, 50)
  arriving.end(one)
  arriving.end(one)
  arriving.remove(one, 50)
  expect(arriving.bytes).toBe(0)
  arriving.add(open('large', 'a'), 101)
  expect(cut).toEqual(['large'])
  expect(arriving.bytes).toBe(0)
})
