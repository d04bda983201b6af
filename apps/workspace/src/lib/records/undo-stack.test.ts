import { describe, expect, test } from 'vitest'
import type { Command } from './record-change.ts'
import { EMPTY_STACK, moveToDone, moveToUndone, pushDone, UNDO_DEPTH_MAX } from './undo-stack.ts'

const command = (label: string): Command => ({ id: label, label, changes: [] })
const [a, b, c] = ['a', 'b', 'c'].map(command)

describe('the undo stack', () => {
  test('gives commands back in reverse order and makes them again in order', () => {
    const full = [a, b].reduce((stack, one) => (one ? pushDone(stack, one) : stack), EMPTY_STACK)
    const undone = moveToUndone(moveToUndone(full))
    expect(undone).toEqual({ done: [], undone: [b, a] })
    expect(moveToDone(moveToDone(undone))).toEqual(full)
  })

  test('forgets what was undone once something new is done', () => {
    const stack = moveToUndone(pushDone(pushDone(EMPTY_STACK, command('a')), command('b')))
    expect(pushDone(stack, command('c'))).toEqual({ done: [a, c], undone: [] })
  })

  test('keeps the newest commands up to its depth', () => {
    let stack = EMPTY_STACK
    for (let index = 0; index <= UNDO_DEPTH_MAX; index++) stack = pushDone(stack, command(String(index)))
    expect(stack.done).toHaveLength(UNDO_DEPTH_MAX)
    expect(stack.done[0]?.label).toBe('1')
  })

  test('stays as it is when there is nothing to undo or redo', () => {
    expect(moveToUndone(EMPTY_STACK)).toEqual(EMPTY_STACK)
    expect(moveToDone(EMPTY_STACK)).toEqual(EMPTY_STACK)
  })
})
