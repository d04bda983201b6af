import { expect, test } from 'vitest'
import { listMutableFields } from './mutable-fields.ts'

test('fields that can be assigned are listed, private and public', () => {
  const text = `export class Door {
    #isOpen = false
    private key: Key | undefined
    visits = 0
    readonly #hinges = 2
    static doors = 0
    declare name: string
    get isOpen() { return this.#isOpen }
    close = undefined
  }`
  expect(listMutableFields(text, 'door.ts')).toEqual([{ name: 'Door', mutable: ['#isOpen', 'key', 'visits', 'close'] }])
})

test('each class of a file counts by itself, also one inside a function', () => {
  const text = `class Outer { a = 1 }
  const make = () => class { b = <b>1</b> }`
  expect(listMutableFields(text, 'two.tsx')).toEqual([
    { name: 'Outer', mutable: ['a'] },
    { name: undefined, mutable: ['b'] },
  ])
})

test('a source without a class has none', () => {
  expect(listMutableFields('export const classify = 1', 'none.ts')).toEqual([])
})
