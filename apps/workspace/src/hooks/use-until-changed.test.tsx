// @vitest-environment happy-dom
import { act, type JSX } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { renderedForEach } from '../lib/rendered.test-support.ts'
import { useUntilChanged } from './use-until-changed.ts'

const rendered = renderedForEach()
const pressed: (string | null)[] = []
let isStored = true

function Toggle({ value }: { readonly value: string | null }): JSX.Element {
  const change = useUntilChanged(value)
  return (
    <button
      type="button"
      onClick={() =>
        change(async () => {
          pressed.push(value)
          return isStored
        })
      }
    />
  )
}

const show = (value: string | null): void => act(() => rendered.root.render(<Toggle value={value} />))
const press = (): Promise<void> => act(async () => rendered.place.querySelector('button')?.click())

beforeEach(() => {
  pressed.length = 0
  isStored = true
})

test('a second press before the database has told of the first is the same wish', async () => {
  show(null)
  await press()
  await press()
  expect(pressed).toEqual([null])
  show('a row')
  await press()
  expect(pressed).toEqual([null, 'a row'])
})

test('what was taken back elsewhere can be pressed again', async () => {
  show(null)
  await press()
  show('a row')
  show(null)
  await press()
  expect(pressed).toEqual([null, null])
})

test('what was not stored can be pressed again', async () => {
  isStored = false
  show(null)
  await press()
  await press()
  expect(pressed).toEqual([null, null])
})
