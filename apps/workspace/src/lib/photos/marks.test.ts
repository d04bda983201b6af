import { describe, expect, test } from 'vitest'
import { addShape, parseMarks, renderMarks, shapesOf, type Marks } from './marks.ts'

describe('marks over a photo', () => {
  test('are what the column has, and none is no value', () => {
    expect(parseMarks(null)).toEqual([])
    expect(renderMarks([])).toBeNull()
    const marks = addShape([], { kind: 'arrow', from: [10.04, 20], to: [33.333, 90] })
    const text = renderMarks(marks)
    expect(text).toBe('{"v":1,"shapes":[{"kind":"arrow","from":[10,20],"to":[33.3,90]}]}')
    expect(shapesOf(parseMarks(text) ?? [])).toEqual([{ kind: 'arrow', from: [10, 20], to: [33.3, 90] }])
  })

  test('of another version of the app are kept where they are, and not shown', () => {
    const marks = parseMarks('{"v":1,"shapes":[{"kind":"star","x":1},{"kind":"circle","x":50,"y":50,"r":900}]}') ?? []
    expect(shapesOf(marks)).toEqual([])
    const more = addShape(marks, { kind: 'circle', x: 50, y: 50, r: 9 })
    expect(shapesOf(more)).toEqual([{ kind: 'circle', x: 50, y: 50, r: 9 }])
    expect(renderMarks(more)).toContain('"star"')
  })

  test('are not taken from a column that holds something else, so that it is not replaced', () => {
    for (const text of ['{"n":1}', '[]', '"text"', 'no JSON', '{"v":2,"shapes":[]}']) {
      expect(parseMarks(text), text).toBeUndefined()
    }
  })

  test('end at a number that a row can hold', () => {
    let marks: Marks = []
    for (let index = 0; index < 300; index++) marks = addShape(marks, { kind: 'circle', x: 1, y: 1, r: 1 })
    expect(marks).toHaveLength(100)
  })
})
