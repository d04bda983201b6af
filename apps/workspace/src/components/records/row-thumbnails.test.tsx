// @vitest-environment happy-dom
import { act } from 'react'
import { expect, test } from 'vitest'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { RowThumbnails } from './row-thumbnails.tsx'

const rendered = renderedForEach()

/** Returns the shown count and reserved slots of a row whose files are still unknown. */
function shownOf(count: number, max: number): readonly [string | null, number] {
  act(() => rendered.root.render(<RowThumbnails photos={{ count, files: [] }} side={44} max={max} />))
  return [rendered.place.textContent, rendered.place.querySelectorAll('[style*="width: 44px"]').length]
}

test('photos whose files are not known yet have their places, and are not counted as more', () => {
  expect(shownOf(1, 1)).toEqual(['', 1])
  expect(shownOf(3, 1)).toEqual(['+2', 1])
  expect(shownOf(2, 2)).toEqual(['', 2])
  expect(shownOf(5, 2)).toEqual(['+3', 2])
})
